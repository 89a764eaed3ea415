"""What can go wrong between a browser and the workbench, and when the workbench is started."""

from bidui.messages.message import Message

WEB: dict[str, Message] = {
    "not-signed-in": {
        "en": "nobody is signed in here; open the address that `bidui serve` prints, or sign in",
        "zh": "尚未登录；请打开 `bidui serve` 显示的地址，或先登录",
    },
    "login-wrong": {
        "en": "the name or the password is wrong",
        "zh": "用户名或密码不正确",
    },
    "too-many-tries": {
        "en": "too many tries; wait {minutes} minutes and try again",
        "zh": "尝试次数过多；请等待 {minutes} 分钟后再试",
    },
    "team-off": {
        "en": "this workbench is for one person; start it with `bidui serve --team` to have accounts",
        "zh": "此工作台供一人使用；如需账户，请用 `bidui serve --team` 启动",
    },
    "invitation-unknown": {
        "en": "there is no invitation with the number {number}; it was taken, or taken back",
        "zh": "没有编号为 {number} 的邀请；可能已被接受或撤回",
    },
    "cross-site": {
        "en": "this was asked by another site, so nothing was done; open the workbench itself",
        "zh": "此请求来自其他网站，未作任何处理；请直接打开工作台",
    },
    "host-unknown": {
        "en": "{host} is no name of this server; open the address that `bidui serve` prints, or start it with"
        " `--public-host`",
        "zh": "{host} 不是此服务器的名称；请打开 `bidui serve` 显示的地址，或启动时使用 `--public-host`",
    },
    "body-too-large": {
        "en": "too large: at most {most} bytes are taken",
        "zh": "过大：至多接受 {most} 字节",
    },
    "request-shape": {
        "en": "the request is not as it should be: {where}: {reason}",
        "zh": "请求格式不符：{where}：{reason}",
    },
    "page-unknown": {
        "en": "there is no page {path} here",
        "zh": "此处没有页面 {path}",
    },
    "method-unknown": {
        "en": "{method} cannot be used here",
        "zh": "此处不能使用 {method}",
    },
    "server-fault": {
        "en": "a mistake in bidui itself ({error}), which is in the server's log; nothing was lost, try again",
        "zh": "bidui 自身出错（{error}），已记入服务器日志；内容未丢失，请重试",
    },
    "port-taken": {
        "en": "port {port} is in use; choose another with --port, or --port 0 for any that is free",
        "zh": "端口 {port} 已被占用；请用 --port 指定其他端口，或用 --port 0 自动选择",
    },
    "address-unusable": {
        "en": "{host} cannot be listened on: {reason}",
        "zh": "无法监听 {host}：{reason}",
    },
    "team-needed": {
        "en": "{host} can be reached from other machines, so it needs accounts: use --team, and set BIDUI_SECRET",
        "zh": "{host} 可从其他机器访问，因此需要账户：请使用 --team，并设置 BIDUI_SECRET",
    },
    "public-host-needed": {
        "en": "{host} is every address of this machine; say by which name others reach it: --public-host NAME",
        "zh": "{host} 指本机的所有地址；请用 --public-host 指明他人访问时所用的名称",
    },
    "secret-needed": {
        "en": "a team needs a secret that only the server knows: set BIDUI_SECRET to {least} characters or more, such"
        " as `python -c 'import secrets; print(secrets.token_urlsafe(32))'` prints",
        "zh": "团队模式需要只有服务器知道的密钥：请将 BIDUI_SECRET 设为至少 {least} 个字符，"
        "例如 `python -c 'import secrets; print(secrets.token_urlsafe(32))'` 的输出",
    },
    "owner-needed": {
        "en": "the team has no owner yet; name the first one: --owner NAME",
        "zh": "团队尚无所有者；请指定第一位：--owner 用户名",
    },
}
