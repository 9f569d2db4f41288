package sweep

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"

	"drolab/presets"
)

// Random holds the settings that are drawn. Each of the Draws is tried at every point of the grid,
// so that methods are compared on the same draws.
type Random struct {
	Draws int
	// Seed is the seed of the draws. The draws of a setting depend on it and on the key of the
	// setting alone; Draws only cuts them off.
	Seed  uint64
	Keys  []string
	draws [][]json.RawMessage // by key, then by draw
	from  map[string]distribution
}

// distribution maps a number in [0, 1) to a value.
type distribution func(u float64) json.RawMessage

// random reads an entry below "random".
func (p *parser) random(e presets.Entry) {
	r := &p.of.Random
	switch key := settingKey(e.Key); {
	case key == "draws":
		if p.read(e, &r.Draws, "how many draws, at least 1") && r.Draws < 1 {
			p.fail("random: draws: %d: want at least 1", r.Draws)
		}
	case key == "seed":
		p.read(e, &r.Seed, "the seed of the draws, a whole number ≥ 0")
	case key == "algorithms" || key == "seeds" || key == "select":
		p.fail("random: %s cannot be drawn: put it into the grid", e.Key)
	default:
		from, ok := distributionOf(e)
		if !ok {
			p.fail("random: %s: want {log: [low, high]}, {uniform: [low, high]}, {whole: [low, "+
				"high]} with low < high (log: above 0), or a list to choose from", e.Key)
		} else if p.claim(key) {
			if r.from == nil {
				r.from = map[string]distribution{}
			}
			r.from[key], r.Keys = from, append(r.Keys, key)
		}
	}
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
	var ends []json.RawMessage
	if json.Unmarshal(e.Below[0].Value, &ends) != nil || len(ends) != 2 {
		return nil, false
	}
	low, ok := number(ends[0])
	high, also := number(ends[1])
	ok = ok && also && low < high
	switch e.Below[0].Key {
	case "log":
		ok = ok && low > 0
		return rounded(func(u float64) float64 { return low * math.Pow(high/low, u) }), ok
	case "uniform":
		return rounded(func(u float64) float64 { return low + u*(high-low) }), ok
	case "whole":
		return func(u float64) json.RawMessage {
			return json.RawMessage(strconv.FormatFloat(math.Floor(low+u*(high-low+1)), 'f', -1, 64))
		}, ok && low == math.Floor(low) && high == math.Floor(high)
	}
	return nil, false
}

// rounded rounds to four digits. Nobody reads more, and the last bits, which depend on the
// mathematics of the machine, do not reach the name of a run.
func rounded(f func(u float64) float64) distribution {
	return func(u float64) json.RawMessage {
		text := strconv.FormatFloat(f(u), 'e', 3, 64)
		x, _ := strconv.ParseFloat(text, 64)
		return json.RawMessage(strconv.FormatFloat(x, 'g', -1, 64))
	}
}

// finishDraws checks the settings to draw, and draws their values.
func (p *parser) finishDraws() {
	r := &p.of.Random
	switch {
	case len(r.Keys) == 0 && r.Draws == 0:
		return
	case len(r.Keys) == 0:
		p.fail("random: want settings to draw beside draws")
		r.Draws = 0
		return
	case r.Draws < 1 || r.Draws > mostRuns:
		p.line = p.of.lines[r.Keys[0]]
		p.fail("random: want how many draws, from 1 to %d, as in draws: 16", mostRuns)
		r.Draws, r.Keys = 0, nil
		return
	}
	for _, key := range r.Keys {
		stream := fnv.New64a()
		stream.Write([]byte(key))
		rng := rand.New(rand.NewPCG(r.Seed, stream.Sum64()))
		values := make([]json.RawMessage, r.Draws)
		for i := range values {
			values[i] = r.from[key](rng.Float64())
		}
		r.draws = append(r.draws, values)
		p.line = p.of.lines[key]
		one := p.of.Base
		for _, v := range values {
			if !p.assign(&one, key, v) {
				r.Draws = 0 // no point of the grid gets these values
				break
			}
		}
	}
}
