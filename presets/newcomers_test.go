package presets

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/spec"
)

// TestNewcomersWords: words of PyTorch, scikit-learn, Keras, Lightning and Hydra lead to the
// settings of this program.
func TestNewcomersWords(t *testing.T) {
	for word, want := range map[string]string{
		"learning_rate": "did you mean lr?", "batch_size": "did you mean batch?",
		"num_epochs": "did you mean epochs?", "n_epochs": "did you mean epochs?",
		"max_iter": "did you mean epochs?", "C": "did you mean weight_decay?",
		"alpha": "lr (the step size), weight_decay", "random_state": "did you mean seed?",
		"val_split": "did you mean val_fraction?", "model.name": "did you mean model?",
		"solver": "did you mean optimizer?", "optimizer.lr": "did you mean lr?",
		"optimizr":            "did you mean optimizer?",
		"+trainer.max_epochs": "did you mean epochs?", "Batch-Size": "did you mean batch?",
		"weightDecay":        "weight_decay?",
		"optimizer._target_": "did you mean optimizer?", "device": "--threads",
		"hidden_layer_sizes": "did you mean hidden?",
		"roh":                "did you mean rho?", "epoch": "did you mean epochs?",
		"coord": "did you mean coordinates?",
		"eps":   "adam_eps",
		"lamda": "did you mean lambda?", "qwertzuiop": "`drolab presets NAME` lists",
	} {
		t.Run(word, func(t *testing.T) {
			s := spec.Defaults()
			said := []error{Set(&s, word+"=1"), Assign(&s, word, []byte("1"))}
			path := filepath.Join(t.TempDir(), "p.yaml")
			if err := os.WriteFile(path, []byte(word+": 1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			for _, err := range append(said, err) {
				text := fmt.Sprint(err)
				for _, part := range []string{"unknown setting ", want} {
					if !strings.Contains(text, part) {
						t.Errorf("the error is %q, want one with %q", text, part)
					}
				}
				for _, part := range []string{"\n", "optimum"} {
					if strings.Contains(text, part) {
						t.Errorf("the error is %q, want one without %q", text, part)
					}
				}
			}
		})
	}
}

// TestNewcomersTable: the table leads to settings that exist, has each word once, and hides no key
// of the program.
func TestNewcomersTable(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range Keys() {
		seen[normalize(key)] = true
	}
	for _, n := range newcomers() {
		_, ours := spec.FindSetting(n.key)
		if (n.key == "") == (n.note == "") {
			t.Errorf("%s leads to the key %q and the note %q, want one of them", n.words, n.key,
				n.note)
		}
		if n.key != "" && n.key != docKey && !ours {
			t.Errorf("%s leads to %q, which is no key", n.words, n.key)
		}
		for _, word := range n.words {
			if seen[word] {
				t.Errorf("%s stands there twice, or is a key", word)
			}
			if got := normalize(word); got != word {
				t.Errorf("%s stands there, want %s, without the differences in spelling", word, got)
			}
			seen[word] = true
		}
	}
}

// TestSeveralValues: a list or a mapping is refused for a setting that takes one value.
func TestSeveralValues(t *testing.T) {
	for text, want := range map[string]string{
		"[linear, mlp]": ": expected text: a list of values belongs below grid in a sweep's " +
			"file, as model: [A, B], or in --set model=A,B",
		"{name: mlp}": ": expected text: settings have no parts: write model: VALUE",
	} {
		t.Run(text, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.yaml")
			if err := os.WriteFile(path, []byte(fmt.Sprintf("rho: 1\nmodel: %s\n", text)),
				0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			if place := path + ":2: model: "; err == nil || !strings.Contains(err.Error(), place) {
				t.Fatalf("Load() = %v, want an error with %q", err, place)
			}
			if !strings.HasSuffix(err.Error(), want) {
				t.Errorf("Load() = %v, want an error that ends with %q", err, want)
			}
		})
	}
	s := spec.Defaults()
	if err := Set(&s, "algorithms=[sfk, erm]"); err != nil { // this setting takes a list
		t.Error(err)
	}
}
