package foreign

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// seedFiles are files of every kind, by kind, with the name that the kind needs.
func seedFiles(t testing.TB) map[string][2]string {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	gdro := groupDROFiles()
	wandb := read("wandb/run-first.wandb")
	return map[string][2]string{
		"tensorboard": {"events.out.tfevents.0", read("tensorboard/events.out.tfevents.0")},
		"wandb":       {"run.wandb", wandb[:8000]},
		"trainer":     {"trainer_state.json", read("trainer/trainer_state.json")},
		"domainbed": {"results.jsonl", `{"args": {"algorithm": "ERM"}, "epoch": 0.5, "acc": 0.5, ` +
			`"hparams": {"lr": 0.1}, "step": 100}` + "\n"},
		"jsonl":     {"m.jsonl", `{"step": 1, "x": NaN, "in": {"y": [1, 2]}}` + "\n"},
		"group_dro": {"train.csv", gdro["train.csv"]},
		"lightning": {"metrics.csv", read("lightning/metrics.csv")},
		"csv":       {"m.csv", "step,x\n1,2\n2,inf\n"},
	}
}

// readBytes reads a file of a kind with any content, and checks what a reader promises.
func readBytes(t *testing.T, kind, name string, content []byte) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	src := &Source{root: root, names: []string{name}}
	defer src.close()
	n := 0
	l := &Log{purge: func(int64, []string) error { return nil }, take: func(p Point) error {
		wild := strings.ContainsAny(p.Name, "\x1b\n\r\x00")
		if n++; p.Step < 0 || len(p.Name) > mostName || wild {
			t.Fatalf("%s gives %+v", kind, p)
		}
		return nil
	}}
	err = kindNamed(kind).read(src, l)
	if err != nil && strings.ContainsAny(err.Error(), "\x1b\n\r\x00") {
		t.Fatalf("%s: the error %q is not one plain line", kind, err)
	}
	for _, note := range l.Notes {
		if strings.ContainsAny(note, "\x1b\n\r\x00") {
			t.Fatalf("%s: the note %q is not one plain line", kind, note)
		}
	}
	if len(l.names) > 2*mostNames || len(l.Settings) > mostSettings || len(l.Notes) > mostNotes {
		t.Fatalf("%s keeps %d names, %d settings and %d notes", kind, len(l.names), len(l.Settings),
			len(l.Notes))
	}
}

// TestMutations: readers of files with random changes end, with bounded and plain texts.
func TestMutations(t *testing.T) {
	files := 2000
	if testing.Short() {
		files = 60
	}
	for kind, seed := range seedFiles(t) {
		r := rand.New(rand.NewPCG(1, uint64(len(kind))))
		for range files {
			b := []byte(seed[1])
			for range 1 + r.IntN(8) {
				i := r.IntN(len(b))
				switch r.IntN(4) {
				case 0:
					b[i] = byte(r.Uint32())
				case 1:
					b[i] ^= 1 << r.IntN(8)
				case 2:
					b = b[:i+1]
				default:
					j := i + r.IntN(len(b)-i)
					b = append(b[:j:j], b[i:]...)
				}
			}
			readBytes(t, kind, seed[0], b)
		}
	}
}

// moreSeeds are further files of a kind: those with times, in all of their forms.
var moreSeeds = map[string][]string{
	"csv": {"step,x,timestamp\n1,2,2026-01-02T03:04:05Z\n2,3,1700000000000\n" +
		"3,4,2026-01-02 03:04:05\n",
		"epoch,time,x\n1,0.5,2\n2,0.4,1\n3,-1,1\n4,nan,1\n"},
	"jsonl": {`{"step": 1, "x": 2, "_runtime": 3.5, "_timestamp": 1700000000}` + "\n" +
		`{"step": 2, "x": 2, "_runtime": "4", "_timestamp": null}` + "\n"},
	"lightning": {"epoch,step,x,elapsed\n0,1,2,0.5\n,2,3,1e300\n"},
}

func fuzz(f *testing.F, kind string) {
	seed := seedFiles(f)[kind]
	for _, text := range moreSeeds[kind] {
		f.Add([]byte(text))
	}
	f.Add([]byte(seed[1]))
	f.Add([]byte(seed[1][:len(seed[1])/2]))
	f.Fuzz(func(t *testing.T, content []byte) { readBytes(t, kind, seed[0], content) })
}

func FuzzTensorBoard(f *testing.F) { fuzz(f, "tensorboard") } // FuzzTensorBoard: any event file.
func FuzzWandb(f *testing.F)       { fuzz(f, "wandb") }       // FuzzWandb: any .wandb file.
func FuzzTrainer(f *testing.F)     { fuzz(f, "trainer") }     // FuzzTrainer: any trainer state.
func FuzzDomainBed(f *testing.F)   { fuzz(f, "domainbed") }   // FuzzDomainBed: any results.
func FuzzLines(f *testing.F)       { fuzz(f, "jsonl") }       // FuzzLines: any JSON lines.
func FuzzGroupDRO(f *testing.F)    { fuzz(f, "group_dro") }   // FuzzGroupDRO: any table.
func FuzzLightning(f *testing.F)   { fuzz(f, "lightning") }   // FuzzLightning: any metrics.csv.
func FuzzTable(f *testing.F)       { fuzz(f, "csv") }         // FuzzTable: any CSV.

// FuzzEvent: the message of an event, behind the checksums of its record.
func FuzzEvent(f *testing.F) {
	seed := []byte(seedFiles(f)["tensorboard"][1])
	for len(seed) > 0 {
		take, piece, err := tfRecord(seed)
		if err != nil {
			break
		}
		f.Add(piece)
		seed = seed[take:]
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := decodeEvent(b)
		if err == nil && len(e.values) > len(b) {
			t.Fatalf("%d bytes have %d values", len(b), len(e.values))
		}
	})
}

// FuzzRecord: the message of a W&B record.
func FuzzRecord(f *testing.F) {
	c, seed := &chunks{}, []byte(seedFiles(f)["wandb"][1])
	for len(seed) > 0 {
		take, piece, err := c.split(seed)
		if err != nil {
			break
		}
		if len(piece) > 1 {
			f.Add(piece[1:])
		}
		seed = seed[take:]
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &wandbReader{l: &Log{take: func(Point) error { return nil }}}
		if err := r.read(b); err != nil {
			t.Fatal(err)
		}
	})
}
