"""The program of job.py in several processes, of which the second fails as DROLAB_TEST_RANK says."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import drolab.torch
import job


class Job(job.Job):
    calls = 0

    def loss(self, outputs, y):
        losses = super().loss(outputs, y)
        if losses.requires_grad and self.current_mode == "train":
            self.calls += 1
            if self.calls == 7 and os.environ.get("RANK") == "1":
                losses.register_hook(self.fail)
        return losses

    def fail(self, gradient):
        how = os.environ.get("DROLAB_TEST_RANK")
        if how == "raises":
            raise RuntimeError("no gradient")
        if how == "exits":
            print("it gives up", file=sys.stderr)
            os._exit(3)


drolab.torch.main(Job)
