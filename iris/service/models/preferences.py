"""What a person set for the dashboard."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iris.service.models.base import Absent, Strict
from iris.service.models.lists import Kind

Label = Annotated[str, Field(min_length=1, max_length=80)]
MAX_LABELS = 1000


class MomentFilters(Strict):
    """The filters of the list of moments; null takes one off."""

    agentName: Annotated[str | Absent, Field(max_length=200)] = None  # noqa: N815 - the name of the contract
    verdict: Literal["pass", "fail", "partial", "unevaluated"] | Absent = None
    significanceKind: Kind | Absent = None  # noqa: N815


class Preferences(Strict):
    """Some preferences to set; those left out stay as they are."""

    autoLaunch: bool | Absent = None  # noqa: N815
    firstSeen: Annotated[str | Absent, Field(max_length=40)] = None  # noqa: N815
    dismissedBanners: Annotated[list[Label] | Absent, Field(max_length=MAX_LABELS)] = None  # noqa: N815
    theme: Literal["dark", "light", "system"] | Absent = None
    momentFilters: MomentFilters | Absent = None  # noqa: N815
    dismissedTours: Annotated[list[Label] | Absent, Field(max_length=MAX_LABELS)] = None  # noqa: N815
    archivedMoments: Annotated[list[Label] | Absent, Field(max_length=10_000)] = None  # noqa: N815
    density: Literal["compact", "comfortable"] | Absent = None
    sidebarCollapsed: bool | Absent = None  # noqa: N815
    notificationsLastSeen: Annotated[str | Absent, Field(max_length=40)] = None  # noqa: N815
