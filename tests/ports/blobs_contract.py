"""What every `Blobs` promises."""

import random

import pytest

from pubweave.contract.digests import content_digest
from pubweave.contract.values import BlobRef
from pubweave.ports import Blobs

_RANDOM = random.Random(4)

CONTENTS = {
    "nothing": b"",
    "one-byte": b"x",
    "short": b"A short abstract.",
    "text": ("Of all the ways to say a thing, the short one is best kept. " * 2000).encode(),
    "letters-of-the-world": ("Ångström, Ωμέγα, 論文, 𝒳. " * 3000).encode(),
    "not-compressible": _RANDOM.randbytes(70_000),
    "one-chunk-less-a-byte": _RANDOM.randbytes(256 * 1024 - 1),
    "one-chunk": _RANDOM.randbytes(256 * 1024),
    "one-chunk-and-a-byte": _RANDOM.randbytes(256 * 1024 + 1),
    "many-chunks": _RANDOM.randbytes(256 * 1024 * 3 + 7),
    "long-but-compressible": b"0" * (5 * 1024 * 1024),
}


class BlobsContract:
    @pytest.fixture
    async def blobs(self) -> Blobs:
        raise NotImplementedError("the adapter's class gives an empty store")

    @pytest.mark.parametrize("name", CONTENTS)
    async def test_gives_contents_back(self, blobs: Blobs, name: str) -> None:
        """A content comes back byte for byte under the digest that its reference names."""
        content = CONTENTS[name]
        reference = await blobs.put(content)

        assert reference == BlobRef(digest=content_digest(content), bytes=len(content))
        assert await blobs.get(reference.digest) == content
        assert await blobs.has(reference.digest)

    async def test_keeps_contents_apart(self, blobs: Blobs) -> None:
        """Contents that differ in one byte are two."""
        references = [await blobs.put(content) for content in CONTENTS.values()]

        assert [await blobs.get(reference.digest) for reference in references] == list(CONTENTS.values())

    @pytest.mark.parametrize("name", ["nothing", "short", "many-chunks"])
    async def test_putting_is_safe_to_repeat(self, blobs: Blobs, name: str) -> None:
        """The same content has the same name, and is there once."""
        first = await blobs.put(CONTENTS[name])
        again = await blobs.put(CONTENTS[name])

        assert again == first
        assert await blobs.get(first.digest) == CONTENTS[name]

    @pytest.mark.parametrize("digest", [content_digest(b"never put"), "", "no digest", "ABCDEF"])
    async def test_says_what_is_not_there(self, blobs: Blobs, digest: str) -> None:
        """An unknown name is a KeyError, never an empty content."""
        await blobs.put(b"")

        assert not await blobs.has(digest)
        with pytest.raises(KeyError):
            await blobs.get(digest)

    @pytest.mark.parametrize("name", ["short", "text", "many-chunks"])
    async def test_deletes_for_good(self, blobs: Blobs, name: str) -> None:
        """A deleted content is gone; others stay; deleting is safe to repeat; it can be put anew."""
        kept = await blobs.put(b"another")
        gone = await blobs.put(CONTENTS[name])
        await blobs.delete(gone.digest)
        await blobs.delete(gone.digest)

        assert not await blobs.has(gone.digest)
        with pytest.raises(KeyError):
            await blobs.get(gone.digest)
        assert await blobs.get(kept.digest) == b"another"

        await blobs.put(CONTENTS[name])

        assert await blobs.get(gone.digest) == CONTENTS[name]
