"""Drives Python elfmem as driver.ts says: one JSON request a line on stdin, one JSON answer a line on stdout.

Its embedder and its model are replaced: vectors are given beforehand, and no language model is called.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
import zlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

WARM = 20
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever the library prints must not stand between the answers


class GivenVectors:
    """An embedding service that looks vectors up."""

    model_name = "given"

    def __init__(self, folder: Path) -> None:
        corpus = json.loads((folder / "corpus.json").read_text())
        self.texts: list[str] = corpus["texts"]
        self.questions: list[str] = corpus["questions"]
        self.dimensions: int = corpus["dimensions"]
        vectors = np.fromfile(folder / "vectors.f32", dtype="<f4").reshape(-1, self.dimensions)
        self.known = {key(text): vectors[i] for i, text in enumerate(self.texts + self.questions)}

    def vector(self, text: str) -> np.ndarray:
        found = self.known.get(key(text))
        if found is not None:
            return found
        made = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimensions).astype(np.float32)
        return made / np.linalg.norm(made)

    async def embed(self, text: str) -> np.ndarray:
        return self.vector(text)

    async def embed_batch(self, texts: list[str]) -> list[np.ndarray]:
        return [self.vector(text) for text in texts]


def key(text: str) -> str:
    return text.strip().lower()


class Driver:
    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    async def open(self, request: dict[str, Any]) -> dict[str, Any]:
        for name in [name for name in os.environ if name.startswith("ELFMEM")]:
            del os.environ[name]
        os.environ["HOME"] = request["folder"]
        os.chdir(request["folder"])
        import elfmem.api as api
        from elfmem.adapters.mock import MockLLMService

        self.vectors = GivenVectors(Path(request["corpus"]))
        api.make_llm_adapter = lambda *_: MockLLMService(default_summary_prefix="")
        api.make_embedding_adapter = lambda *_: self.vectors
        config = {"embeddings": {"model": "given", "dimensions": self.vectors.dimensions}}
        self.system = await api.MemorySystem.from_config(f"{request['folder']}/memory.db", config)
        return {"version": version("elfmem")}

    async def remember(self, at: int) -> None:
        learnt = await self.system.remember(self.vectors.texts[at])
        self.places[learnt.block_id] = at

    async def fill(self, request: dict[str, Any]) -> dict[str, Any]:
        for at in range(request["from"], request["until"]):
            await self.remember(at)
        added = time.perf_counter()
        await self.system.dream(skip_llm=True, inbox_max=1_000_000)
        return {"settleMs": 1000 * (time.perf_counter() - added)}

    async def add(self, request: dict[str, Any]) -> dict[str, Any]:
        times = []
        for at in range(request["from"], request["until"]):
            started = time.perf_counter()
            await self.remember(at)
            times.append(1000 * (time.perf_counter() - started))
        return {"ms": times}

    async def find(self, question: str, request: dict[str, Any]) -> list[int]:
        answer = await self.system.frame(
            "attention", question, top_k=request["topK"], reinforce=request["effects"]
        )
        return [self.places[block.id] for block in answer.blocks if block.id in self.places]

    async def search(self, request: dict[str, Any]) -> dict[str, Any]:
        questions = self.vectors.questions[request["from"] : request["until"]]
        for question in questions[:WARM]:
            await self.find(question, request)
        # Asked again, a warm-up question would come from the library's cache of frames.
        self.system._frame_cache.clear()
        times: list[float] = []
        found: list[list[int]] = []
        for question in questions:
            started = time.perf_counter()
            found.append(await self.find(question, request))
            times.append(1000 * (time.perf_counter() - started))
        return {"ms": times, "found": found}

    async def close(self, _: dict[str, Any]) -> dict[str, Any]:
        await self.system.close()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        return {"peakMegabytes": peak}


async def main() -> None:
    driver = Driver()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = await getattr(driver, request["op"])(request)
        except Exception as error:  # noqa: BLE001 - the other side reports it
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


asyncio.run(main())
