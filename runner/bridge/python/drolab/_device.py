"""Moves numbers between the host and the device of a script's tensors, without waiting for it."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import torch
from torch import Tensor

__all__ = ["Copies", "Numbers", "upload"]


def stream(device: torch.device) -> Any:
    """Returns the present stream of a device, which records events."""
    return torch.get_device_module(device).current_stream(device)


class Copies:
    """Copies of tensors on their way to the host.

    A copy is an array that has its values once ``wait`` has returned. Its memory is used again
    for the next copy of the same name.
    """

    def __init__(self) -> None:
        self._memory: dict[tuple[str, torch.dtype], Tensor] = {}
        self._moved: list[torch.device] = []  # devices of copies without an event yet
        self._events: list[Any] = []

    def take(self, name: str, x: Any) -> np.ndarray:
        """Begins a copy of a tensor, or copies an array. Its type becomes one of the protocol."""
        if not isinstance(x, Tensor):
            return np.array(x)
        x = x.detach()
        if x.is_floating_point():
            x = x if x.dtype in (torch.float32, torch.float64) else x.float()
        elif x.dtype not in (torch.int32, torch.int64):
            x = x.long()
        apart = x.device.type != "cpu"
        memory = self._memory.get((name, x.dtype))
        if memory is None or len(memory) < x.numel():
            memory = torch.empty(x.numel(), dtype=x.dtype, pin_memory=x.device.type == "cuda")
            self._memory[name, x.dtype] = memory
        copy = memory[:x.numel()].view(x.shape)
        copy.copy_(x, non_blocking=apart)
        if apart and x.device not in self._moved:
            self._moved.append(x.device)
        return copy.numpy()

    def mark(self) -> None:
        """Marks the end of some copies. Later work on the device is not waited for."""
        for device in self._moved:
            self._events.append(stream(device).record_event())
        self._moved.clear()

    def wait(self) -> None:
        """Waits until all copies up to the last mark are there."""
        for event in self._events:
            event.synchronize()
        self._events.clear()


class Numbers:
    """Numbers on a device that are always in the same memory, as captured graphs need them."""

    def __init__(self, numbers: np.ndarray, device: torch.device) -> None:
        self._host = torch.empty(len(numbers), dtype=torch.float64,
                                 pin_memory=device.type == "cuda")
        self.tensor = torch.empty(len(numbers), dtype=torch.float64, device=device)
        self.set(numbers)

    def fits(self, numbers: np.ndarray, device: torch.device) -> bool:
        return len(self._host) == len(numbers) and self.tensor.device == device

    def set(self, numbers: np.ndarray) -> None:
        """Begins to set the numbers. The numbers before must have arrived."""
        self._host.copy_(torch.from_numpy(numbers))
        self.tensor.copy_(self._host, non_blocking=True)


def upload(values: np.ndarray, device: torch.device, kind: Optional[torch.dtype] = None) -> Tensor:
    """Returns an array as a tensor on a device."""
    given = torch.from_numpy(values).to(kind)
    if device.type == "cuda":
        given = given.pin_memory()
    return given.to(device, non_blocking=True)
