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
}
