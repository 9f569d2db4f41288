"""Tensors on a device that does not exist, which record what the host reads and when it waits.

A ``Far`` says that its device is "meta" and holds its values on the CPU. A copy to the host that
does not block has its values only when an event behind it was waited for.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

now = 0  # the forward pass that was queued last
reads = []  # what the host read while the device stood still for it, and the pass of that time
arrived = []  # pairs: the pass that made a value, and the pass when the host waited for it
_copies = []  # those without an event: memory, values, pass
_READS = ("aten::_local_scalar_dense", "aten::item", "aten::nonzero", "aten::equal")


class Far(torch.Tensor):
    @staticmethod
    def __new__(cls, values):
        far = torch.Tensor._make_wrapper_subclass(
            cls, values.shape, strides=values.stride(), dtype=values.dtype, device="meta")
        far.values_ = values
        return far

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return _run(func, args, kwargs or {})

    def numpy(self, *args, **kwargs):
        return _read("numpy", self).numpy()

    def tolist(self):
        return _read("tolist", self).tolist()

    def __array__(self, *args, **kwargs):
        return _read("__array__", self).numpy()

    def new_tensor(self, values, **kwargs):
        reads.append(("new_tensor", now))
        return Far(self.values_.new_tensor(values))


def _read(what, far):
    reads.append((what, now))
    return far.values_.detach()


class Device(TorchDispatchMode):
    """Makes tensors far that are made on the device."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return _run(func, args, kwargs or {})


def _run(func, args, kwargs):
    name = func._schema.name
    far = []
    tree_map(lambda x: far.append(x) if isinstance(x, Far) else None, (args, kwargs))
    device = kwargs.get("device")
    to_host = device is not None and torch.device(device).type == "cpu"
    if device is not None:
        kwargs = dict(kwargs, device="cpu")
    near_args, near = tree_map(lambda x: x.values_ if isinstance(x, Far) else x, (args, kwargs))
    if name == "aten::copy_" and far and not isinstance(args[0], Far):
        late = args[2] if len(args) > 2 else kwargs.get("non_blocking", False)
        if late:
            _copies.append((args[0], near_args[1].clone(), now))
            return args[0]
        reads.append((name, now))
    elif far and (name in _READS or to_host):
        reads.append((name, now))
    out = func(*near_args, **near)
    if not func._schema.returns:
        return None
    if name.endswith("_") and not name.endswith("__"):
        return args[0]
    if to_host or not far and device is None:
        return out
    return tree_map(lambda x: Far(x) if isinstance(x, torch.Tensor) else x, out)


class Event:
    def __init__(self):
        self._copies = list(_copies)
        _copies.clear()

    def synchronize(self):
        for memory, values, made in self._copies:
            memory.copy_(values)
            arrived.append((made, now))


class Stream:
    """Takes the place of the stream of a device."""

    def record_event(self):
        return Event()
