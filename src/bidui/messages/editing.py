"""What can go wrong while paradigms, phrases and lexicons are edited in the browser."""

from bidui.messages.message import Message

EDITING: dict[str, Message] = {
    # texts
    "text-too-long": {
        "en": "the text has {length} characters, and {limit} are allowed; split it",
        "zh": "文本有 {length} 个字符，上限为 {limit}；请拆分",
    },
    "too-many-rows": {
        "en": "there are {rows} slots and variants, and {limit} are allowed; make several paradigms of it",
        "zh": "共有 {rows} 个槽位和变体，上限为 {limit}；请拆成几个句型",
    },
    "more-problems": {
        "en": "there are {count} more problems",
        "zh": "另有 {count} 个问题",
    },
    # rows
    "edit-form": {
        "en": "this place is written in a way that rows cannot change; change it in the plain text",
        "zh": "此处的写法不能按行修改；请在纯文本中修改",
    },
    "row-missing": {
        "en": "there is no such row any more: {row}; load the page anew",
        "zh": "已没有这一行：{row}；请重新载入页面",
    },
    "slot-is-word": {
        "en": "{name} stands in a line as a word; put it in quotes there, or choose another name for the slot",
        "zh": "{name} 已作为词写在句行里；请在那里加上引号，或给槽位换一个名称",
    },
    "row-exists": {
        "en": "there is a row called {name} already; choose another name",
        "zh": "已有名为 {name} 的行；请换一个名称",
    },
    # merging
    "merge-changed": {
        "en": "{row}: both of you changed it; choose which to keep",
        "zh": "{row}：双方都作了更改；请选择保留哪一个",
    },
    "merge-deleted": {
        "en": "{row}: one of you changed it, the other deleted it; choose which to keep",
        "zh": "{row}：一方更改，另一方删除；请选择保留哪一个",
    },
    "merge-added": {
        "en": "{row}: both of you added it, each in another way; choose which to keep",
        "zh": "{row}：双方都添加了它，但内容不同；请选择保留哪一个",
    },
    "merge-order": {
        "en": "both of you changed the order of rows ({row}); choose which to keep",
        "zh": "双方都更改了行的顺序（{row}）；请选择保留哪一个",
    },
    # tables
    "cell-characters": {
        "en": "a cell cannot hold a tab, a line break or an invisible character: {cell}; remove it",
        "zh": "单元格不能含有制表符、换行或不可见字符：{cell}；请删去",
    },
    "paste-too-wide": {
        "en": "what was pasted reaches to column {cells}, and the table has {columns}; add columns first",
        "zh": "粘贴的内容到第 {cells} 列，而表只有 {columns} 列；请先添加列",
    },
    "paste-too-large": {
        "en": "what was pasted has more than {limit} cells; paste it in parts",
        "zh": "粘贴的内容超过 {limit} 个单元格；请分几次粘贴",
    },
    "paste-broken": {
        "en": "what was pasted is not a block of cells: {reason}; copy it again from the spreadsheet",
        "zh": "粘贴的内容不是单元格：{reason}；请从电子表格重新复制",
    },
    # previews
    "preview-too-long": {
        "en": "not worked out within {seconds} seconds; use fewer alternatives or phrases",
        "zh": "{seconds} 秒内未能算出；请减少备选项或短语",
    },
    "preview-stopped": {
        "en": "stopped before {seconds} seconds were over, since the text has changed",
        "zh": "文本已更改，未到 {seconds} 秒便停止计算",
    },
    "preview-memory": {
        "en": "more than {megabytes} megabytes of memory would be needed; use fewer alternatives or phrases",
        "zh": "所需内存超过 {megabytes} 兆字节；请减少备选项或短语",
    },
    "preview-too-large": {
        "en": "the pairs are too long to be shown; use shorter words",
        "zh": "句对太长，无法显示；请使用较短的词",
    },
    "preview-crashed": {
        "en": "the process that makes the preview has ended; it is started again with the next change",
        "zh": "生成预览的进程已终止；下次更改时会重新启动",
    },
}
