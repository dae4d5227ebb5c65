"""The fake world keeps the contract of a Backend, so what is tested on it holds for the others."""

from collections.abc import Iterator

import pytest
from fake import FakeBackend

from mirrorcraft.core.backend import Backend
from mirrorcraft.testing.contract import BackendContract


class TestFakeBackend(BackendContract):
    @pytest.fixture
    def backend(self) -> Iterator[Backend]:
        backend = FakeBackend()
        yield backend
        backend.close()
