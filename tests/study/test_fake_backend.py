"""The fake world keeps the contract of a Backend, so what is tested on it holds for the others."""

from collections.abc import Iterator

import pytest
from contract import BackendContract
from fake import FakeBackend

from mirrorcraft.core.backend import Backend


class TestFakeBackend(BackendContract):
    @pytest.fixture
    def backend(self) -> Iterator[Backend]:
        backend = FakeBackend()
        yield backend
        backend.close()
