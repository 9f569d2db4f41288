package foreign

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner/spec"
)

// sameSettings are the keys of logs that mean the same as a setting of drolab's, and how the value
// is taken. A batch is that of one device, and is left a note where several may share a step.
var sameSettings = []struct {
	key  string // drolab's
	keys []string
	set  func(s *spec.Spec, x float64) bool
}{
	{"lr", []string{"lr", "learning_rate"}, func(s *spec.Spec, x float64) bool {
		s.LR = x
		return x > 0
	}},
	{"batch", []string{"batch_size", "batch"}, func(s *spec.Spec, x float64) bool {
		s.Batch = whole(x)
		return s.Batch > 0
	}},
	{"epochs", []string{"epochs", "n_epochs", "num_epochs", "max_epochs", "num_train_epochs"},
		func(s *spec.Spec, x float64) bool {
			s.Epochs = whole(x)
			return s.Epochs > 0
		}},
	{"weight_decay", []string{"weight_decay"}, func(s *spec.Spec, x float64) bool {
		s.WeightDecay = x
		return x >= 0
	}},
	{"momentum", []string{"momentum"}, func(s *spec.Spec, x float64) bool {
		s.Momentum = x
		return x >= 0 && x < 1
	}},
	{"seed", []string{"seed"}, func(s *spec.Spec, x float64) bool {
		s.Seed = uint64(whole(x))
		return x == math.Trunc(x) && x >= 0 && x < 1<<31
	}},
}

// whole returns a whole number from 1 to 10⁹; 0 for any other number.
func whole(x float64) int {
	if x != math.Trunc(x) || !(x >= 1 && x <= 1e9) {
		return 0
	}
	return int(x)
}

// methodNames are the names of methods in other programs that are methods of drolab's.
var methodNames = map[string]dro.Algorithm{"erm": "erm", "groupdro": "group", "group_dro": "group",
	"group dro": "group", "jtt": "jtt", "dfr": "dfr"}

// SettingRow is a setting of a log with what becomes of it.
type SettingRow struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Becomes string `json:"becomes,omitempty"` // a setting of drolab's; empty: a note
}

// settle puts the settings of a log into s, and returns what became of each. seeded says that the
// log has a seed. In logs of DomainBed, a batch is drawn in each of several environments.
func settle(l *Log, kind *Kind, s *spec.Spec) (rows []SettingRow, seeded bool) {
	for _, setting := range l.Settings {
		row := SettingRow{Key: setting.Key, Value: setting.Value}
		x, err := strconv.ParseFloat(setting.Value, 64)
		for _, same := range sameSettings {
			if err != nil || !slices.Contains(same.keys, setting.Key) ||
				same.key == "batch" && kind.Name == "domainbed" {
				continue
			}
			was := *s
			if !same.set(s, x) {
				*s = was
				continue
			}
			row.Becomes = same.key
			seeded = seeded || same.key == "seed"
		}
		if isMethod(setting.Key, kind) {
			row.Becomes = "method"
		}
		rows = append(rows, row)
	}
	return rows, seeded
}

func isMethod(key string, kind *Kind) bool {
	if kind.Name == "group_dro" {
		return key == "robust" || key == "reweight_groups"
	}
	return key == "algorithm" || key == "method"
}

const mostMethod = 64

// methodOf returns the name of the method of a log. Without one it is the name of the run, as runs
// of unknown methods are no repeats of each other. The program stands behind it, so that it is no
// method of drolab's own, with which its seeds would be folded.
func methodOf(l *Log, f *Found) string {
	kind := f.kind
	of := func(key string) string {
		for _, s := range l.Settings {
			if s.Key == key {
				return s.Value
			}
		}
		return ""
	}
	tail := " (" + kind.Program + ")"
	name := cmp.Or(of("algorithm"), of("method"))
	if kind.Name == "group_dro" && of("robust") != "" {
		switch name = "erm"; {
		case of("robust") == "True":
			name = "group"
		case of("reweight_groups") == "True":
			name = "erm, groups reweighted"
		}
	}
	if known, ok := methodNames[strings.ToLower(name)]; ok {
		name = string(known)
	}
	if name == "" {
		name = cmp.Or(l.Name, f.title())
	}
	return clean(name, mostMethod-len(tail)) + tail
}
