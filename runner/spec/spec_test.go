package spec

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
)

func TestDefaultsAreValid(t *testing.T) {
	s := Defaults()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Expand()); n != 4 {
		t.Errorf("the default is %d runs, want 4", n)
	}
	s.Seeds = 3
	list := s.Expand()
	if n := len(list); n != 12 {
		t.Fatalf("3 seeds of 4 methods expand to %d runs, want 12", n)
	}
	if got, want := list[1].Seed, s.Seed+1; got != want {
		t.Errorf("the second run has the seed %d, want %d: seeds are innermost", got, want)
	}
	if got, want := list[1].Algorithm(), list[0].Algorithm(); got != want {
		t.Errorf("the second run is of %s, want %s, as the first: seeds are innermost", got, want)
	}
}

// Every field of a Spec has one row in the settings, and every row has a field.
func TestEveryFieldIsDescribed(t *testing.T) {
	rows := map[string]int{}
	for _, row := range settingRows() {
		rows[row.Key]++
		described := map[string]string{"Group": row.Group, "Doc": row.Doc, "Want": row.Want}
		for field, text := range described {
			if text == "" {
				t.Errorf("the setting %s has no %s", row.Key, field)
			}
		}
	}
	for f := range reflect.TypeFor[Spec]().Fields() {
		if key := f.Tag.Get("key"); f.Name != "Own" && rows[key] != 1 {
			t.Errorf("field %s with the key %q has %d rows", f.Name, key, rows[key])
		}
		delete(rows, f.Tag.Get("key"))
	}
	if len(rows) > 0 {
		t.Errorf("rows without a field: %v", rows)
	}
}

func TestSpecSurvivesJSON(t *testing.T) {
	s := Defaults()
	s.LambdaMax, s.Imbalance, s.Mean, s.Std = dro.Fixed(10), KeepRatios(.5,
		1), []float64{.5}, []float64{.25}
	s.SetOwn("c", dro.Fixed(7))
	s.SetOwn("share_batch", dro.Fixed(1))
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Spec
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !s.Equal(&back) {
		t.Errorf("%s\ncame back as\n%+v", b, back)
	}
	for key, want := range map[string]string{"c": "7", "share_batch": "true", "kappa": "1"} {
		if got := back.Text(key); got != want {
			t.Errorf("%s came back as %s, want %s", key, got, want)
		}
	}
	for word, want := range map[string]int{`"paper"`: 10, `"paper-drawn"`: 10, `"none"`: 0,
		`"auto"`: 10, `[0.5]`: 1} {
		var i Imbalance
		if err := json.Unmarshal([]byte(word), &i); err != nil || len(i.Ratios("cifar10")) != want {
			t.Errorf("imbalance %s: %v ratios, error %v, want %d", word, i.Ratios("cifar10"),
				err, want)
		}
	}
	first, drawn := Defaults(), Defaults()
	if err := drawn.Assign("imbalance", []byte(`"paper-drawn"`)); err != nil {
		t.Fatal(err)
	}
	drawn.Seed = 7
	if o := drawn.DataOptions(""); !o.Drawn || o.DrawSeed != 7 {
		t.Errorf("a drawn imbalance opens data with Drawn %v and the seed %d, want true and 7",
			o.Drawn, o.DrawSeed)
	}
	if first.DataOptions("").Drawn {
		t.Error("the default imbalance opens data with Drawn")
	}
	drawn = drawn.Settled()
	if got := drawn.Imbalance.String(); got != "paper-drawn" {
		t.Errorf("a drawn imbalance settles to %s, want paper-drawn", got)
	}
	if first.Equal(&drawn) {
		t.Error("Equal() of specs with the default and a drawn imbalance = true, want false")
	}
	var i Imbalance
	var key *KeyError
	if err := json.Unmarshal([]byte(`"half"`), &i); !errors.As(err, &key) {
		t.Errorf("imbalance half: error %v, want a KeyError", err)
	}
}

// TestTextIsForPeople: no character of a setting's text is an escape of HTML.
func TestTextIsForPeople(t *testing.T) {
	s := Defaults()
	s.Algorithms, s.Dataset = []dro.Algorithm{"run (W&B)", "<b>"}, "csv:a&b.csv"
	for key, want := range map[string]string{
		"algorithms": "[run (W&B), <b>]", "dataset": "csv:a&b.csv"} {
		if got := s.Text(key); got != want {
			t.Errorf("%s is written as %s, want %s", key, got, want)
		}
	}
}

// A run of Just Train Twice that never reaches its second run would be ERM under another name.
func TestSettingBelowAnother(t *testing.T) {
	s := stated("jtt")
	s.Epochs = 1
	const want = "jtt_epochs: 1: expected a whole number ≥ 1, below epochs = 1"
	if err := s.Validate(); err == nil || err.Error() != want {
		t.Errorf("Validate() = %v, want %q", err, want)
	}
	s = Defaults()
	s.Algorithms, s.Epochs = []dro.Algorithm{"jtt"}, 2
	const unsaid = "jtt_epochs: 2: expected a whole number ≥ 1, below epochs = 2: 2 is its " +
		"default: give jtt_epochs or epochs"
	if err := s.Validate(); err == nil || err.Error() != unsaid {
		t.Errorf("Validate() = %v, want %q", err, unsaid)
	}
	s.Algorithms = []dro.Algorithm{dro.ERM}
	if err := s.Validate(); err != nil {
		t.Errorf("Validate() of ERM, which does not read jtt_epochs = %v, want nil", err)
	}
}

// A method's own setting takes the word auto if its row says so, and keeps it in files.
func TestOwnSettingThatMayBeAuto(t *testing.T) {
	s := stated("scent")
	for _, c := range []struct{ value, text string }{{"0.5", "0.5"}, {`"auto"`, "auto"}} {
		if err := s.Assign("scent_alpha", []byte(c.value)); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		var back Spec
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || back.Text("scent_alpha") != c.text || back.Validate() != nil {
			t.Errorf("scent_alpha %s is read back as %q: %v, %v; want %s", c.value,
				back.Text("scent_alpha"), err, back.Validate(), c.text)
		}
	}
	for key, values := range map[string][]string{"scent_alpha": {`"none"`, `"x"`, "null", "[]"},
		"tilt": {`"auto"`}} {
		for _, value := range values {
			if err := s.Assign(key, []byte(value)); err == nil {
				t.Errorf("%s takes %s", key, value)
			}
		}
	}
}

// FuzzSpec: the spec of a run in run.json or in a request is refused, or it is the same after it is
// written and read back.
func FuzzSpec(f *testing.F) {
	d := Defaults()
	text, err := json.Marshal(d)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"algorithms":["sfk"],"seeds":1,"mean":null,"lr":1e-320,` +
		`"imbalance":[1,0.5],"eta_min":"auto"}`))
	f.Add([]byte(`{"algorithms":["erm"],"c":1}`)) // which ERM does not read
	f.Fuzz(func(t *testing.T, text []byte) {
		var s, back Spec
		if json.Unmarshal(text, &s) != nil || s.Validate() != nil {
			return
		}
		again, err := json.Marshal(s)
		if err == nil {
			err = json.Unmarshal(again, &back)
		}
		if err != nil {
			t.Fatalf("%s is not read back: %v", text, err)
		}
		if !s.Equal(&back) {
			t.Errorf("%s becomes %s, which is another spec", text, again)
		}
	})
}

// stated returns a valid spec of one method, with two epochs.
func stated(a dro.Algorithm) Spec {
	s := Defaults()
	s.Algorithms, s.Epochs = []dro.Algorithm{a}, 2
	if m, _ := dro.Find(a); m != nil && m.ReadsKey("jtt_epochs") {
		s.SetOwn("jtt_epochs", dro.Fixed(1)) // of two
	}
	return s
}

// The convolution auto comes to winograd where that was measured to be faster, and to direct for
// every other model and precision. A record that says which computes what was asked for.
func TestAutomaticConvolution(t *testing.T) {
	for _, model := range nn.Models() {
		for _, precision := range nn.Precisions() {
			asked, want := Defaults(), "direct"
			asked.Model, asked.Precision = model, precision
			if precision == "fp32" && (model == "resnet8" || model == "resnet18") {
				want = "winograd"
			}
			recorded, direct := asked, asked
			recorded.SettleConvolution()
			direct.Convolution = "direct"
			net := asked.Network(data.Shape{C: 3, H: 32, W: 32}, 10)
			if recorded.Convolution != want || net.Convolution != want {
				t.Errorf("%s in %s: %s is recorded and %s computed, want %s", model, precision,
					recorded.Convolution, net.Convolution, want)
			}
			if !asked.Computes(&recorded) {
				t.Errorf("%s in %s: Computes(the record) = false, want true", model, precision)
			}
			if !recorded.Computes(&asked) {
				t.Errorf("%s in %s: Computes() of the record = false, want true", model, precision)
			}
			if got := asked.Computes(&direct); got != (want == "direct") {
				t.Errorf("%s in %s: auto computes the same as direct: %v, want %v", model,
					precision, got, want == "direct")
			}
		}
	}
}

// TestProgramWithoutAFolder holds that a program named without its folder is looked for in the
// folder of this process, as a shell does it.
func TestProgramWithoutAFolder(t *testing.T) {
	s, err := OfProgram("program:train.py width=3")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"": here, "/elsewhere": "/elsewhere"} {
		one := s
		one.SettleProgram(dir)
		if p, _ := one.Program(); p.Path != filepath.Join(want, "train.py") {
			t.Errorf("from %q: %s", dir, p.Path)
		}
	}
}

// TestOnlyCrossEntropiesAreInNats: a squared loss, and a share of samples, have no such unit.
func TestOnlyCrossEntropiesAreInNats(t *testing.T) {
	for _, c := range []struct{ loss, unit, want string }{
		{nn.CrossEntropy, "nats", "nats"}, {nn.Squared, "nats", ""},
		{nn.ErrorProbability, "nats", ""}, {nn.Squared, "ratio", "ratio"},
	} {
		if got := UnitUnder(c.loss, c.unit); got != c.want {
			t.Errorf("a measure in %s of runs with the loss %s has the unit %q, want %q", c.unit,
				c.loss, got, c.want)
		}
	}
}
