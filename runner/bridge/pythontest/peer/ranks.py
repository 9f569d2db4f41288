"""The program of job.py in several processes, of which the second fails as DROLAB_TEST_RANK says."""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import drolab.torch
import job


class Job(job.Job):
    calls = 0

    def loss(self, outputs, y):
        losses = super().loss(outputs, y)
        how = os.environ.get("DROLAB_TEST_RANK")
        if self.current_mode == "train" and self.model.training and losses.requires_grad:
            self.calls += 1
        if how and self.calls == 7 and os.environ.get("RANK") == "1":
            if how == "raises":
                raise ValueError("bad sample")
            if how == "exits":
                print("it gives up", file=sys.stderr)
                os._exit(3)
            losses.register_hook(self.fail if how == "backward" else lambda _: time.sleep(1e6))
        return losses

    def fail(self, gradient):
        raise RuntimeError("no gradient")


drolab.torch.main(Job)
