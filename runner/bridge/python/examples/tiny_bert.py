"""A tiny random BERT that Hugging Face's Trainer trains by drolab: see docs/stacks.md.

python tiny_bert.py [--method group] [--accumulate 4] [--resume RUN]
torchrun --nproc-per-node 2 tiny_bert.py
"""

import torch
from own_loop import parsed
from transformers import BertConfig, BertForSequenceClassification, TrainingArguments

import drolab
from drolab.transformers import RobustTrainer


def sentences(n, agree, seed):
    """Returns dictionaries: two of eight words tell the class, and one tells the background."""
    random = torch.Generator().manual_seed(seed)
    label = torch.randint(2, (n,), generator=random)
    same = torch.rand(n, generator=random) < agree
    ground = torch.where(same, label, 1 - label)
    noise = torch.rand(n, 2, generator=random) < 0.15
    words = torch.randint(8, 32, (n, 8), generator=random)
    words[:, 0], words[:, 2:4], words[:, 5] = 1, 2 + (label[:, None] ^ noise.long()), 4 + ground
    return [dict(input_ids=w, labels=y, group=2 * y + b, index=i) for i, (w, y, b) in
            enumerate(zip(words.tolist(), label.tolist(), ground.tolist()))]


def main(words=None, seed=0, **more):
    chosen = parsed(words, method="group", epochs=5, accumulate=1)
    args = TrainingArguments(
        "tiny-bert", per_device_train_batch_size=32, gradient_accumulation_steps=chosen.accumulate,
        num_train_epochs=chosen.epochs, learning_rate=1e-3, seed=seed, eval_strategy="epoch",
        save_strategy="epoch", save_total_limit=1, per_device_eval_batch_size=250, report_to="none",
        use_cpu=True, disable_tqdm=True, logging_strategy="no", **more)
    torch.manual_seed(seed)
    model = BertForSequenceClassification(BertConfig(
        vocab_size=32, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=8))
    sets = {"train": sentences(2000, 0.95, seed + 1), "test": sentences(1000, 0.5, seed + 2)}
    known = {k: ([s["labels"] for s in d], [s["group"] for s in d]) for k, d in sets.items()}
    data = drolab.Data(train=known["train"], test=known["test"])
    given = {} if chosen.resume else dict(
        method=chosen.method, rho=1, epochs=chosen.epochs,
        batch=32 * chosen.accumulate * args.world_size)
    with drolab.start("tiny-bert", data, runs=chosen.runs, resume=chosen.resume,
                      packages=["torch", "transformers"], **given) as run:
        RobustTrainer(model, args, run=run, train_dataset=sets["train"],
                      eval_dataset={"test": sets["test"]}).train()
    return run.id


if __name__ == "__main__":
    main()
