"""What can be wrong with a workspace of the workbench: its files, its database, and who may do what."""

from bidui.messages.message import Message

STORE: dict[str, Message] = {
    "workspace-missing": {
        "en": "there is no such folder; make it, or correct the path",
        "zh": "没有此文件夹；请新建，或更正路径",
    },
    "workspace-alone": {
        "en": "this folder is itself a project, so there is no place for others; serve the folder above it",
        "zh": "此文件夹本身就是项目，不能容纳其他项目；请对其上级文件夹运行 bidui serve",
    },
    "project-name": {
        "en": "{name} cannot be the name of a project: use letters, digits, `_`, `-` and Chinese characters",
        "zh": "{name} 不能作项目名：请用字母、数字、`_`、`-` 和汉字",
    },
    "project-name-twice": {
        "en": "another project has this name but for capital letters; rename one of the folders",
        "zh": "另一项目的名称仅大小写不同；请将其中一个文件夹改名",
    },
    "project-unknown": {
        "en": "there is no project {name} here",
        "zh": "此处没有项目 {name}",
    },
    "project-taken": {
        "en": "{name} is taken, by {other}; choose another name",
        "zh": "{name} 已被 {other} 占用；请换一个名称",
    },
    "project-file-name": {
        "en": "{name} is no file of a project; there are project.yaml, phrases.yaml, lexicon.tsv, features.tsv,"
        " lexicon/….tsv, relations/….tsv, paradigms/PHENOMENON/UID.yaml and ….md",
        "zh": "{name} 不是项目文件；项目文件有 project.yaml、phrases.yaml、lexicon.tsv、features.tsv、"
        "lexicon/….tsv、relations/….tsv、paradigms/现象/UID.yaml 和 ….md",
    },
    "paradigm-name": {
        "en": "{name} cannot be the name of a paradigm or phenomenon: use letters, digits, `_`, `-` and `.`",
        "zh": "{name} 不能作句型名或现象名：请用字母、数字、`_`、`-` 和 `.`",
    },
    "file-unknown": {
        "en": "there is no file {file} in this project",
        "zh": "此项目中没有文件 {file}",
    },
    "file-taken": {
        "en": "there is {other}, and on many machines the two names are one; choose another",
        "zh": "已有 {other}，在许多系统上两个名称视为相同；请换一个",
    },
    "file-there": {
        "en": "there is {other} already; choose another name",
        "zh": "已有 {other}；请换一个名称",
    },
    "paradigm-taken": {
        "en": "there is a paradigm {uid} already, in {other} (upper and lower case count as the same);"
        " choose another name",
        "zh": "已有句型 {uid}，在 {other}（不区分大小写）；请换一个名称",
    },
    "phrase-taken": {
        "en": "there is a phrase {name} already; choose another name",
        "zh": "已有短语 {name}；请换一个名称",
    },
    "phrase-gone": {
        "en": "there is no phrase {name} any more; load the page anew",
        "zh": "已没有短语 {name}；请重新载入页面",
    },
    "rename-busy": {
        "en": "others kept changing {file} meanwhile, so nothing was renamed; try again",
        "zh": "其间他人不断改动 {file}，因此未改名；请重试",
    },
    "file-is-link": {
        "en": "is a link, which may lead anywhere, so it is left alone; put the file or folder itself here",
        "zh": "是链接，可能指向任何地方，因此不予处理；请把文件或文件夹本身放在此处",
    },
    "file-not-regular": {
        "en": "is no ordinary file, so it is left alone",
        "zh": "不是普通文件，因此不予处理",
    },
    "settings-needed": {
        "en": "a project needs its project.yaml under this name; delete the whole project instead",
        "zh": "项目必须有名为 project.yaml 的文件；如不再需要，请删除整个项目",
    },
    "revision-unknown": {
        "en": "there is no revision {number} of this; load the page again",
        "zh": "没有第 {number} 号修订；请重新载入页面",
    },
    "revision-is-deletion": {
        "en": "revision {number} is the deletion of the file; restore the one before it",
        "zh": "第 {number} 号修订是删除操作；请恢复它之前的修订",
    },
    "revision-conflict": {
        "en": "{author} has changed this meanwhile; your text is kept as a draft, so merge the two",
        "zh": "{author} 已改动此文件；您的文本已存为草稿，请合并两者",
    },
    "revision-conflict-outside": {
        "en": "this was changed outside the workbench meanwhile; your text is kept as a draft, so merge the two",
        "zh": "此文件已在工作台之外被改动；您的文本已存为草稿，请合并两者",
    },
    "tab-name": {
        "en": "{tab} is no name of a tab: at most 64 ASCII characters",
        "zh": "{tab} 不是标签页名：至多 64 个 ASCII 字符",
    },
    "bin-unknown": {
        "en": "there is no project with the number {number} in the bin",
        "zh": "回收站中没有编号为 {number} 的项目",
    },
    "database-address": {
        "en": "{address} is no address of a database; use postgresql://user@host/name, or none for SQLite",
        "zh": "{address} 不是数据库地址；请用 postgresql://user@host/name，或不写而用 SQLite",
    },
    "database-unreachable": {
        "en": "the database does not answer: {reason}",
        "zh": "数据库没有回应：{reason}",
    },
    "database-busy": {
        "en": "the database cannot be written to ({reason}), though {seconds} seconds were waited; try again",
        "zh": "无法写入数据库（{reason}），已等待 {seconds} 秒；请重试",
    },
    "database-no-wal": {
        "en": "SQLite cannot keep a log here (mode {mode}), as on network drives; move the folder to a local"
        " drive, or use PostgreSQL",
        "zh": "SQLite 无法在此写日志（模式 {mode}），网络驱动器即如此；请将文件夹移到本地磁盘，或使用 PostgreSQL",
    },
    "database-newer": {
        "en": "the database was made by a newer bidui (schema {found}, this one knows {known}); update bidui",
        "zh": "数据库由更新版的 bidui 建立（结构 {found}，此版至 {known}）；请更新 bidui",
    },
    "database-of-another": {
        "en": "the database belongs to another workspace, whose files would all seem deleted here; use another"
        " database, or, if this is the same workspace moved, open it with adopt",
        "zh": "数据库属于另一个工作区，在此其文件会全被当作已删除；请用另一数据库；"
        "若是同一工作区移动而来，请以 adopt 打开",
    },
    "database-damaged": {
        "en": "the content {sha256} is not what was stored; restore the database from a backup",
        "zh": "内容 {sha256} 与存入时不符；请从备份恢复数据库",
    },
    "user-name": {
        "en": "{name} cannot be a name: 1 to {most} characters that can be seen, and not `local`",
        "zh": "{name} 不能作姓名：应为 1 至 {most} 个可见字符，且不为 `local`",
    },
    "user-taken": {
        "en": "somebody is called {name} already; choose another name",
        "zh": "已有人名为 {name}；请换一个",
    },
    "user-unknown": {
        "en": "there is no user with the number {number}",
        "zh": "没有编号为 {number} 的用户",
    },
    "password-length": {
        "en": "a password has {least} to {most} characters",
        "zh": "密码应为 {least} 至 {most} 个字符",
    },
    "token-unknown": {
        "en": "this link was used already, is too old, or was taken back; ask for another",
        "zh": "此链接已使用、过期或被撤回；请索取新的链接",
    },
    "role-missing": {
        "en": "this needs the role {needed}; ask an owner",
        "zh": "此操作需要 {needed} 身份；请联系所有者",
    },
    "last-owner": {
        "en": "somebody must own the workspace; make somebody else an owner first",
        "zh": "工作区必须有所有者；请先将他人设为所有者",
    },
    "zip-unreadable": {
        "en": "no zip that can be read: {reason}",
        "zh": "无法作为 zip 读取：{reason}",
    },
    "archive-too-many": {
        "en": "{count} files; at most {most} are taken",
        "zh": "有 {count} 个文件；至多接受 {most} 个",
    },
    "archive-too-large": {
        "en": "unpacked, a file may have {file} bytes and all together {all}",
        "zh": "解压后每个文件至多 {file} 字节，总计至多 {all} 字节",
    },
    "archive-ratio": {
        "en": "is packed more than {most} times smaller, which no lexicon is; pack it without compression",
        "zh": "压缩比超过 {most}，词库不会如此；请不压缩打包",
    },
    "archive-encrypted": {
        "en": "is encrypted; pack it without a password",
        "zh": "已加密；请不设密码打包",
    },
    "archive-not-file": {
        "en": "is a link or a device, which is not taken",
        "zh": "是链接或设备，不予接受",
    },
    "archive-name": {
        "en": "is a name that leads out of its folder or nowhere; nothing was taken",
        "zh": "此名称指向文件夹之外或无法使用；未导入任何内容",
    },
    "archive-twice": {
        "en": "is there twice, but perhaps for capital letters or folders; rename one",
        "zh": "出现两次（或仅大小写、所在文件夹不同）；请将其中一个改名",
    },
    "import-no-project": {
        "en": "no project.yaml, and no JSON templates with a vocabulary (a TSV with the column `expression`)"
        " among: {names}",
        "zh": "其中没有 project.yaml，也没有 JSON 模板与词表（含 `expression` 列的 TSV）：{names}",
    },
    "import-unclear": {
        "en": "several files could be the vocabulary ({tables}) or the phrases ({phrases}); leave one of each",
        "zh": "有多个文件可能是词表（{tables}）或短语（{phrases}）；请各留一个",
    },
}
