package sweep

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"drolab/presets"
)

// Random holds the settings that are drawn. Each of the Draws is tried at every point of the grid,
// so that methods are compared on the same draws.
type Random struct {
	Draws int
	// Seed is the seed of the draws. The draws of a setting depend on it and on the key of the
	// setting alone; Draws only cuts them off.
	Seed uint64
	Axes []Axis
}

// distribution maps a number in [0, 1) to a value.
type distribution func(u float64) json.RawMessage

// readRandom reads an entry below "random".
func (p *parser) readRandom(e presets.Entry) {
	r := &p.sweep.Random
	switch key := settingKey(e.Key); {
	case key == "draws":
		if p.decode(e, &r.Draws, "how many draws, at least 1") && r.Draws < 1 {
			p.fail("random: draws: %d: expected at least 1", r.Draws)
		}
	case key == "seed":
		p.decode(e, &r.Seed, "the seed of the draws, a whole number ≥ 0")
	case key == "algorithms" || key == "seeds" || key == "select":
		p.fail("random: %s cannot be drawn: put it into the grid", e.Key)
	default:
		from, ok := distributionOf(e)
		if !ok {
			p.fail("random: %s: expected {log: [low, high]}, {uniform: [low, high]}, {whole: "+
				"[low, high]} with low < high (log: above 0), or a list to choose from%s", e.Key,
				remedyOf(e))
		} else if p.noteLine(key) {
			r.Axes = append(r.Axes, Axis{Key: key, from: from})
		}
	}
}

// remedyOf returns the remedy for a number in the entries below e.
func remedyOf(e presets.Entry) string {
	for _, b := range e.Below {
		if hint := b.Remedy(); hint != "" {
			return hint
		}
	}
	return ""
}

func distributionOf(e presets.Entry) (distribution, bool) {
	if e.Below == nil {
		var list []json.RawMessage
		err := json.Unmarshal(e.Value, &list)
		pick := func(u float64) json.RawMessage { return list[int(u*float64(len(list)))] }
		return pick, err == nil && len(list) > 0
	}
	if len(e.Below) != 1 {
		return nil, false
	}
	var ends []*float64 // nil for a null
	if e.Below[0].Decode(&ends) != nil || len(ends) != 2 ||
		slices.Contains(ends, nil) {
		return nil, false
	}
	low, high := *ends[0], *ends[1]
	ok := low < high
	switch e.Below[0].Key {
	case "log":
		ok = ok && low > 0
		return roundDraws(func(u float64) float64 { return low * math.Pow(high/low, u) }), ok
	case "uniform":
		return roundDraws(func(u float64) float64 { return low + u*(high-low) }), ok
	case "whole":
		return func(u float64) json.RawMessage {
			return json.RawMessage(strconv.FormatFloat(math.Floor(low+u*(high-low+1)), 'f', -1, 64))
		}, ok && low == math.Floor(low) && high == math.Floor(high)
	}
	return nil, false
}

// roundDraws rounds to four digits. Nobody reads more, and the last bits, which depend on the
// mathematics of the machine, do not reach the name of a run.
func roundDraws(f func(u float64) float64) distribution {
	return func(u float64) json.RawMessage {
		text := strconv.FormatFloat(f(u), 'e', 3, 64)
		x, _ := strconv.ParseFloat(text, 64)
		return json.RawMessage(strconv.FormatFloat(x, 'g', -1, 64))
	}
}

// drawValues checks the settings to draw, and draws their values.
func (p *parser) drawValues() {
	r := &p.sweep.Random
	p.line = p.blocks["random"]
	switch {
	case len(r.Axes) == 0 && r.Draws == 0:
		return
	case len(r.Axes) == 0:
		p.fail("random: expected settings to draw beside draws")
		r.Draws = 0
		return
	case r.Draws < 1 || r.Draws > mostRuns:
		p.fail("random: expected how many draws, from 1 to %d, as in draws: 16", mostRuns)
		r.Draws, r.Axes = 0, nil
		return
	}
	for i := range r.Axes {
		a, one := &r.Axes[i], p.sweep.Base
		stream := fnv.New64a()
		stream.Write([]byte(a.Key))
		rng := rand.New(rand.NewPCG(r.Seed, stream.Sum64()))
		p.line = p.sweep.lines[a.Key]
		for range r.Draws {
			v := presets.Canonical(a.Key, a.from(rng.Float64()))
			a.Values = append(a.Values, v)
			if !p.assign(&one, a.Key, v) {
				r.Draws = 0 // no point of the grid gets these values
				break
			}
		}
	}
}
