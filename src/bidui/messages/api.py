"""What the calls of the workbench can say besides what the store and the editing say."""

from bidui.messages.message import Message

API: dict[str, Message] = {
    "superseded": {
        "en": "a newer question has come from the same page, so this one was dropped",
        "zh": "同一页面已提出更新的请求，此请求已放弃",
    },
    "changes-overlap": {
        "en": "these changes do not fit together; load the page anew",
        "zh": "这些更改互相冲突；请重新载入页面",
    },
    "not-a-table": {
        "en": "{file} is no table, so it has no cells; edit its text",
        "zh": "{file} 不是表格，没有单元格；请编辑其文本",
    },
    "import-nothing": {
        "en": "no file was chosen; choose a zip of a project, or the templates with their vocabulary",
        "zh": "未选择文件；请选择项目的 zip 文件，或选择模板及其词表",
    },
    "import-name-missing": {
        "en": "a file was sent without a name; choose it again",
        "zh": "有文件没有名称；请重新选择",
    },
    "project-start": {
        "en": "say what the project starts from, either `lang` or `benchmark`",
        "zh": "请说明项目从何开始：`lang` 或 `benchmark`",
    },
    "pairs-too-long": {
        "en": "the pairs were not made within {seconds} seconds; ask for fewer, or for one paradigm at a time, or use"
        " `bidui generate`",
        "zh": "{seconds} 秒内未能生成句对；请减少数量，或每次只生成一个句型，或使用 `bidui generate`",
    },
    "pairs-failed": {
        "en": "the pairs could not be made: {reason}",
        "zh": "未能生成句对：{reason}",
    },
}
