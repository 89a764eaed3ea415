"""What calls are given besides their bodies: a project for somebody of a role, a file's name, the name of a tab."""

from typing import Annotated

from fastapi import Depends, Path, Query
from pydantic import Field

from bidui.web.identity import Access, editor, owner, reader, signed_in
from bidui.web.store import User

Reader = Annotated[Access, Depends(reader)]
Editor = Annotated[Access, Depends(editor)]
Owner = Annotated[Access, Depends(owner)]
Who = Annotated[User, Depends(signed_in)]
File = Annotated[str, Path(description="The file's name in the project, such as `paradigms/BA/BA_inversion.yaml`.")]
Tab = Annotated[str, Field(description="A name for the page, at most 64 ASCII characters.")]
TabQuery = Annotated[str, Query(description="A name for the page, at most 64 ASCII characters.")]
Revision = Annotated[int | None, Field(description="The revision that the writer began with; none for a new file.")]
