"""What can be wrong with a folder of results or of a report, and why a report lacks a table or figure."""

from bidui.messages.message import Message

REPORT: dict[str, Message] = {
    "report-nothing": {
        "en": "there are neither scores ({scores}) nor training runs ({milestones}) here; run `bidui score` or"
        " `bidui train --score` first",
        "zh": "此处既没有分数（{scores}），也没有训练（{milestones}）；请先运行 `bidui score` 或 `bidui train --score`",
    },
    "report-nothing-left": {
        "en": "nothing here can be shown: {reasons}",
        "zh": "此处没有可以展示的内容：{reasons}",
    },
    "report-no-pairs": {
        "en": "no pairs have been scored yet",
        "zh": "尚未给任何句对打分",
    },
    "report-only-baselines": {
        "en": "only baselines were scored, which have no accuracy; score the paradigms that belong to them too",
        "zh": "只有基线句型打过分，而基线无所谓正确率；请同时给与之对应的句型打分",
    },
    "run-facts": {
        "en": "recipe.json and run.json do not say what run this is ({reason}); it is left out",
        "zh": "recipe.json 和 run.json 未说明这是哪次训练（{reason}）；已略去",
    },
    "run-no-milestones": {
        "en": "no checkpoint has been scored yet; it is left out",
        "zh": "尚无检查点打过分；已略去",
    },
    "run-uneven": {
        "en": "step {step} has other paradigms or pairs than step {first}; score all checkpoints on the same pairs",
        "zh": "第 {step} 步的句型或句对与第 {first} 步的不同；请让各检查点对同样的句对打分",
    },
    # writing
    "report-manifest": {
        "en": "cannot be read as the manifest of a report ({reason}); give another folder, or remove this one",
        "zh": "无法作为报告的清单读取（{reason}）；请换一个文件夹，或删去这一个",
    },
    "report-foreign": {
        "en": "the folder holds files that are not of a report: {files}; give another folder, or move them away",
        "zh": "文件夹中有不属于报告的文件：{files}；请换一个文件夹，或将其移走",
    },
    "report-changed": {
        "en": "these files were changed since the report was written: {files}; move them away, or give another folder",
        "zh": "这些文件在报告写成之后被改动过：{files}；请将其移走，或换一个文件夹",
    },
    # why something is not there
    "report-no-scores": {
        "en": "there are no token scores here; `bidui score` makes them",
        "zh": "此处没有词元得分；`bidui score` 可以生成",
    },
    "report-no-runs": {
        "en": "there are no training runs here; `bidui train --score` makes them",
        "zh": "此处没有训练；`bidui train --score` 可以生成",
    },
    "report-link-absent": {
        "en": "nothing here was judged by {link}",
        "zh": "此处没有按 {link} 判断的结果",
    },
    "link-needs-unigrams": {
        "en": "{link} needs unigrams, which are not beside the scores; give them by --unigrams",
        "zh": "{link} 需要一元频率，而分数旁没有；请用 --unigrams 给出",
    },
    "link-not-counted": {
        "en": "training runs do not count by {link}; they do by {known}",
        "zh": "训练没有按 {link} 计数；有的是 {known}",
    },
    "report-no-benchmark": {
        "en": "the paradigms are not all those of a benchmark about which this is known ({known})",
        "zh": "这些句型并非都属于有此数据的基准（{known}）",
    },
    "report-one-kind": {
        "en": "all paradigms scored here are {kind}; `bidui generate --include-excluded` makes pairs of both kinds",
        "zh": "此处打分的句型都是 {kind}；`bidui generate --include-excluded` 可生成两类句对",
    },
    "report-one-model": {
        "en": "a comparison needs two models with token scores, and there are {count}",
        "zh": "比较需要两个有词元得分的模型，而此处有 {count} 个",
    },
    "report-other-pairs": {
        "en": "no other model was scored on the same pairs as {models}",
        "zh": "没有其他模型与 {models} 在同样的句对上打过分",
    },
    "report-no-unigrams": {
        "en": "no model has unigrams beside its scores, which MORCELA needs; give them by --unigrams",
        "zh": "没有模型的分数旁有一元频率，而 MORCELA 需要；请用 --unigrams 给出",
    },
    "report-no-people": {
        "en": "nothing is known of people on these paradigms of {benchmark}",
        "zh": "没有人类在 {benchmark} 这些句型上的数据",
    },
    "report-published-off": {
        "en": "published results were not asked for (--no-published)",
        "zh": "未要求展示已发表的结果（--no-published）",
    },
    "report-not-published": {
        "en": "no published table has all of these paradigms or phenomena; there are tables on {known}",
        "zh": "没有已发表的表格含有所有这些句型或现象；现有关于 {known} 的表格",
    },
    "report-runs-apart": {
        "en": "{runs} are not among them: scored on other pairs or by other linking functions than {kept},"
        " or not yet trained",
        "zh": "{runs} 不在其中：打分所用的句对或联结函数与 {kept} 不同，或尚未训练",
    },
    "report-no-dips": {
        "en": "no learning curve has a dip that the test bears out",
        "zh": "没有学习曲线有经检验成立的低谷",
    },
    "report-needs-pairs": {
        "en": "{option} says nothing without the pairs; give their file or folder by --pairs",
        "zh": "没有句对，{option} 无从使用；请用 --pairs 给出句对的文件或文件夹",
    },
    "report-no-given": {
        "en": "{option} was not given; `bidui report --help` says what it takes",
        "zh": "未给出 {option}；`bidui report --help` 说明其用法",
    },
    "region-option": {
        "en": "{text} names no region; write it as NAME=slot,slot",
        "zh": "{text} 不是区域的写法；请写成 名称=槽位,槽位",
    },
    "report-no-regions": {
        "en": "no pair of {pairs} has a slot of the regions {regions}",
        "zh": "{pairs} 个句对中没有一个含有区域 {regions} 的槽位",
    },
    "report-no-checkpoints": {
        "en": "there are no token scores of several checkpoints of a run; `bidui train --score` keeps them",
        "zh": "没有同一训练的多个检查点的词元得分；`bidui train --score` 会保存",
    },
    "report-other-benchmark": {
        "en": "this is of the paradigms of {benchmark}, and they were not scored here",
        "zh": "此项针对 {benchmark} 的句型，而此处未对其打分",
    },
    "report-few-models": {
        "en": "this needs at least {needed} models that were scored on the same paradigms, and there are {count}",
        "zh": "此项需要至少 {needed} 个在同样句型上打过分的模型，而此处有 {count} 个",
    },
    "report-one-benchmark": {
        "en": "no two models were scored on two benchmarks each; known here: {known}",
        "zh": "没有两个模型都在两个基准上打过分；此处已知的基准：{known}",
    },
    "report-few-rated": {
        "en": "this needs {needed} pairs of which both sentences were rated, and there are {count}",
        "zh": "此项需要 {needed} 个两句都有评分的句对，而此处有 {count} 个",
    },
    "report-raters-constant": {
        "en": "every rater gave the same to all sentences, so that no rating can be scaled: {raters}",
        "zh": "每位评分人给所有句子的评分都相同，无法标准化：{raters}",
    },
    "report-unrated": {
        "en": "none of the {count} sentences that were rated was scored; uid and pair must be those of the scores",
        "zh": "有评分的 {count} 个句子都没有打过分；uid 和 pair 须与得分中的一致",
    },
}
