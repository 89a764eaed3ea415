"""The bottom of the workbench: a workspace of project files, with revisions, drafts and a team beside it."""

from bidui.web.store.accounts import User, add_user, local_user, log_in, set_password, user, users
from bidui.web.store.archives import Unpacked, read_folder, read_zip
from bidui.web.store.attempts import allow, forget
from bidui.web.store.bin import Binned, binned, bring_back, delete_project, empty_bin
from bidui.web.store.catalogue import Entry, entries, entry
from bidui.web.store.changing import Change, Changed, Conflict, commit
from bidui.web.store.differences import RowChange, row_changes, unified
from bidui.web.store.drafting import Draft, drafts, drop_draft, keep_draft
from bidui.web.store.facts import paradigm_keys, project_key, recall, remember
from bidui.web.store.findings import file_problems
from bidui.web.store.invitation_links import Invitation, accept, invitation, invitations, invite, join, withdraw
from bidui.web.store.names import kind_of, paradigm_file
from bidui.web.store.opening import open_store
from bidui.web.store.outside import Refreshed, current, refresh
from bidui.web.store.overview import (
    Coverage,
    FileLine,
    ParadigmLine,
    check_uid_free,
    coverage,
    named_paradigms,
)
from bidui.web.store.projects import Imported, copy_benchmark, export_project, import_project, new_project
from bidui.web.store.revisions import Revision, Version, changes, deleted_files, history, revision
from bidui.web.store.roles import (
    Member,
    Role,
    check_role,
    close_account,
    may,
    members,
    open_account,
    role_of,
    set_role,
    visible,
)
from bidui.web.store.saving import Kept, Saved, delete, rename, restore, save
from bidui.web.store.sessions import (
    end_session,
    end_sessions,
    password_link,
    password_user,
    session_user,
    start_session,
    start_token,
    use_password_link,
    use_start_token,
)
from bidui.web.store.uids import Named, placing_problem
from bidui.web.store.workspace import Store

__all__ = [
    "Binned",
    "Change",
    "Changed",
    "Conflict",
    "Coverage",
    "Draft",
    "Entry",
    "FileLine",
    "Imported",
    "Invitation",
    "Kept",
    "Member",
    "Named",
    "ParadigmLine",
    "Refreshed",
    "Revision",
    "Role",
    "RowChange",
    "Saved",
    "Store",
    "Unpacked",
    "User",
    "Version",
    "accept",
    "add_user",
    "allow",
    "binned",
    "bring_back",
    "changes",
    "check_role",
    "check_uid_free",
    "close_account",
    "commit",
    "copy_benchmark",
    "coverage",
    "current",
    "delete",
    "delete_project",
    "deleted_files",
    "drafts",
    "drop_draft",
    "empty_bin",
    "end_session",
    "end_sessions",
    "entries",
    "entry",
    "export_project",
    "file_problems",
    "forget",
    "history",
    "import_project",
    "invitation",
    "invitations",
    "invite",
    "join",
    "keep_draft",
    "kind_of",
    "local_user",
    "log_in",
    "may",
    "members",
    "named_paradigms",
    "new_project",
    "open_account",
    "open_store",
    "paradigm_file",
    "paradigm_keys",
    "password_link",
    "password_user",
    "placing_problem",
    "project_key",
    "read_folder",
    "read_zip",
    "recall",
    "refresh",
    "remember",
    "rename",
    "restore",
    "revision",
    "role_of",
    "row_changes",
    "save",
    "session_user",
    "set_password",
    "set_role",
    "start_session",
    "start_token",
    "unified",
    "use_password_link",
    "use_start_token",
    "user",
    "users",
    "visible",
    "withdraw",
]
