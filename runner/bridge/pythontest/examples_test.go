//go:build unix

package pythontest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/bridge"
)

const examples = "../python/examples/"

// TestExamples: each example learns on little data, and its network evaluates.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
		"data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"} {
		var file []byte
		for i := range 20 { // each class has a brightness of its own
			record := make([]byte, 1+3*32*32)
			record[0] = byte(i % 10)
			for j := range record[1:] {
				record[1+j] = byte(25*(i%10) + j%7)
			}
			file = append(file, record...)
		}
		must(t, os.WriteFile(filepath.Join(dir, name), file, 0o600))
	}
	table := "age,colour,size,kind\n"
	for i := range 60 {
		table += fmt.Sprintf("%d,%s,%d.5,%s\n", i%7, []string{"red", "blue"}[i%3/2], i%2*10,
			[]string{"cat", "dog"}[i%2])
	}
	must(t, os.WriteFile(filepath.Join(dir, "table.csv"), []byte(table), 0o600))
	for script, words := range map[string][]string{
		"cifar_resnet18.py": {"folder=" + dir, "width=4", "workers=1"},
		"table.py": {"file=" + filepath.Join(dir, "table.csv"), "label=kind",
			"group=colour"},
		"numpy_softmax.py": {},
	} {
		t.Run(script, func(t *testing.T) {
			p := begin(t, examples+script, words...)
			index := bridge.Ints(places(0, 12, 36))
			before := sum(p.numbers(losses("train", 0), index))
			for range 12 {
				p.ask(losses("train", 0), index)
				p.gradient(ones(12), false)
				p.step(0.05, 0)
			}
			p.tell(mode("probe"))
			if after := sum(p.numbers(losses("train", 0), index)); !(after < before) {
				t.Errorf("the losses go from %v to %v in 12 steps, want less", before, after)
			}
			p.tell(mode("evaluate"))
			p.ask(losses("test", 0), bridge.Ints([]int{0, 1, 2}))
			_, got := p.ask(message{"do": "outputs", "want": []string{"classes"}})
			if got[0].Len() != 3 {
				t.Errorf("%d classes of 3 samples, want 3", got[0].Len())
			}
			p.ask(message{"do": "save", "folder": t.TempDir()})
			p.close()
		})
	}
}

func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

func sum(list []float64) (s float64) {
	for _, v := range list {
		s += v
	}
	return s
}

// TestGreeting: a program describes itself correctly.
func TestGreeting(t *testing.T) {
	p := start(t, examples+"numpy_softmax.py")
	said, got := p.ask(greeting(nil))
	for member, want := range map[string]any{"version": 2.0, "parameters": 9.0, "restart": true,
		"accumulate": false, "pick": true, "device": "cpu"} {
		if said[member] != want {
			t.Errorf("%s is %v, want %v", member, said[member], want)
		}
	}
	if len(got) != 2 {
		t.Fatalf("%d arrays of labels, want 2", len(got))
	}
	for i, want := range []int{3000, 1000} {
		if n := got[i].Len(); n != want {
			t.Errorf("array %d has %d labels, want %d", i, n, want)
		}
	}
	if got[0].Type != bridge.Int32 {
		t.Errorf("the labels have the type %s, want %s", got[0].Type, bridge.Int32)
	}
	p.close()
}

// TestOldSyntax: Python 3.9 can parse the client.
func TestOldSyntax(t *testing.T) {
	script := filepath.Join(t.TempDir(), "syntax.py")
	must(t, os.WriteFile(script, []byte(`import ast, pathlib, sys
for p in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    ast.parse(p.read_text(), str(p), feature_version=(3, 9))
    print(p.name)
`), 0o600))
	status, text := order(t, script, client(t))
	if status != 0 {
		t.Errorf("status %d, want 0: %s", status, text)
	}
	if !strings.Contains(text, "torch.py") {
		t.Errorf("the files %q are parsed, want torch.py among them", text)
	}
}

// BenchmarkStep measures a step of a program without a network: losses from a table, a gradient and
// a step, of 128 samples.
func BenchmarkStep(b *testing.B) {
	p := begin(b, "peer/lookup.py")
	index, weights := bridge.Ints(places(0, 128, 50000)), bridge.Floats(ramp(128, 64))
	var head message
	for b.Loop() {
		must(b, p.Send(losses("train", 3), index))
		_, err := p.Receive(&head, bridge.MostHead, bridge.MostBody)
		must(b, err)
		must(b, p.Send(message{"do": "gradient", "epoch": 0}, weights))
		must(b, p.Send(message{"do": "step", "epoch": 0}, rule(0.1, 0)))
		_, err = p.Receive(&head, bridge.MostHead, bridge.MostBody)
		must(b, err)
	}
}
