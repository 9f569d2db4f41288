package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// isTrainer recognises trainer_state.json of Transformers.
func isTrainer(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) &&
		bytes.Contains(head, []byte(`"global_step"`)) &&
		bytes.Contains(head, []byte(`"log_history"`))
}

const mostTrainer = 256 << 20

// readTrainer reads trainer_state.json, which is written anew as a whole.
func readTrainer(in *Source, l *Log) error {
	f, err := in.open(in.names[0])
	if err != nil {
		return err
	}
	if f.info.Size() > mostTrainer/8 {
		return fmt.Errorf("%s has more than %d MiB", clean(f.name, mostName), mostTrainer>>23)
	}
	text, err := in.text(in.names[0], mostTrainer)
	if err != nil {
		return err
	}
	v, wrong := parse(text)
	if wrong == nil {
		if o, ok := v.(object); ok {
			err = o.trainer(l)
		}
	}
	if wrong != nil && in.wait == nil {
		return fmt.Errorf("%s is not whole: %w", clean(f.name, mostName), wrong)
	}
	if err != nil || in.wait == nil {
		return err
	}
	f.off = int64(len(text))
	if l.Ended && wrong == nil {
		return nil
	}
	if err = f.await(false); err == nil {
		err = errReplaced
	}
	return err
}

// trainer reads the state of a Trainer.
func (o object) trainer(l *Log) error {
	for _, key := range []string{"num_train_epochs", "max_steps", "train_batch_size",
		"eval_steps", "logging_steps"} {
		if x, ok := o.get(key).(float64); ok {
			l.setting(key, textOf(x))
		}
	}
	done, _ := o.get("global_step").(float64)
	epochs, _ := o.get("epoch").(float64)
	if done > 0 && epochs > 0 {
		l.PerEpoch = toStep(math.Round(done / epochs))
	}
	if most, ok := o.get("max_steps").(float64); ok && most > 0 {
		l.Planned = toStep(most)
		l.Ended = done >= most
	}
	history, _ := o.get("log_history").([]any)
	for _, entry := range history {
		e, ok := entry.(object)
		step, said := e.get("step").(float64)
		if !ok || !said || step != math.Trunc(step) {
			l.note("entries of log_history without a whole step are left out")
			continue
		}
		epoch, _ := e.get("epoch").(float64)
		var metrics object
		for _, m := range e {
			if m.key != "step" && m.key != "epoch" {
				metrics = append(metrics, m)
			}
		}
		err := metrics.numbers("", func(name string, x float64) error {
			return l.point(Point{Step: toStep(step), Epoch: epoch, Name: name, Group: -1, Value: x})
		})
		if err != nil {
			return err
		}
	}
	if history == nil {
		return errors.New("log_history: expected a list")
	}
	return nil
}
