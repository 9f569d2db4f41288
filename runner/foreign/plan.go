package foreign

import (
	"context"

	"drolab/runner/measure"
)

// Plan says what becomes of a log.
type Plan struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Method string `json:"method"`
	Seed   uint64 `json:"seed"`
	Steps  int64  `json:"steps"`
	// Seconds is the time up to the last number, as the log tells it.
	Seconds  measure.Number `json:"seconds"`
	Names    []NameRow      `json:"names"`
	Settings []SettingRow   `json:"settings"`
	Notes    []string       `json:"notes"`
}

// NameRow is a name of the log with what becomes of it.
type NameRow struct {
	Name    string         `json:"name"`
	Numbers int64          `json:"numbers"`
	Last    measure.Number `json:"last"`
	Becomes string         `json:"becomes,omitempty"` // a measure; empty: it is left out
	Logged  bool           `json:"logged"`            // it is a value of the program's own
}

// Plan returns what becomes of a log, and changes nothing.
func (f *Found) Plan(ctx context.Context, o *Options, s *Seeds) (*Plan, error) {
	l, g, _, err := f.read(ctx, o)
	if err != nil {
		return nil, err
	}
	defer g.close()
	made, err := f.prepare(l, g, o, s.next)
	if err != nil {
		return nil, err
	}
	m := made.meta
	p := &Plan{Path: f.Path, Kind: f.kind.Name, Method: string(m.Spec.Algorithm()),
		Seed: m.Spec.Seed, Steps: g.furthest, Seconds: timesOf(l, g), Names: []NameRow{},
		Settings: []SettingRow{},
		Notes:    m.Imported.Absent}
	for i, name := range g.names {
		if g.stats[i].n == 0 {
			continue
		}
		t := made.t.list[name]
		p.Names = append(p.Names, NameRow{Name: name, Numbers: g.stats[i].n,
			Last: measure.Num(g.stats[i].last), Becomes: t.measure, Logged: t.of == logged})
	}
	p.Settings = append(p.Settings, made.rows...)
	return p, nil
}

// timesOf returns the time of a log that was read; empty: it tells none.
func timesOf(l *Log, g *gather) measure.Number {
	if l.back {
		return measure.Number{}
	}
	return g.elapsed
}
