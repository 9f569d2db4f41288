package spec

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"drolab/dro"
)

// Forkable returns the keys of the settings that a fork of a run of s may change and for which
// Nudge finds another value. The settings that can change in a live run come first, then the
// others, each in the order of AllSettings.
func (s *Spec) Forkable() []string {
	var live, others []string
	for _, t := range AllSettings() {
		// A fork continues with the parent's z in the parent's coordinates.
		if t.Inherited() || t.Viewed() || !t.ReadIn(s) || t.Key == "coordinates" {
			continue
		}
		_, less := s.Nudge(t.Key, -1)
		_, more := s.Nudge(t.Key, 1)
		switch {
		case !less && !more:
		case t.liveIn(s):
			live = append(live, t.Key)
		default:
			others = append(others, t.Key)
		}
	}
	return slices.Concat(live, others)
}

// Nudge returns the next value above the setting's present value (by = 1) or below it (by = -1), as
// a preset states it. That is the next word of a choice, else the next of the numbers 1, 2, 5, 10
// and so on. ok is false if the setting's bounds allow no such value. s stays unchanged.
func (s *Spec) Nudge(key string, by int) (text string, ok bool) {
	t, known := FindSetting(key)
	if !known {
		return "", false
	}
	if t.Choices != nil {
		return s.nextWord(&t, by)
	}
	v, number := t.Number(s)
	if !number {
		return "", false
	}
	for _, x := range nextValues(s.present(key, v), by) {
		if text := strconv.FormatFloat(x, 'g', -1, 64); s.accepts(key, text) {
			return text, true
		}
	}
	return "", false
}

// nextWord returns the nearest of the setting's words, in the direction by, that the Spec accepts.
func (s *Spec) nextWord(t *Setting, by int) (text string, ok bool) {
	words := t.Choices()
	for i := slices.Index(words, t.Text(s)) + by; i >= 0 && i < len(words); i += by {
		word, err := json.Marshal(words[i])
		if err == nil && (s.accepts(t.Key, string(word)) || s.accepts(t.Key, words[i])) {
			return words[i], true
		}
	}
	return "", false
}

// accepts reports whether the setting may have the value, written as JSON, with the method
// unchanged. A value that comes to the present one is passed over: the convolution direct where
// auto is that.
func (s *Spec) accepts(key, value string) bool {
	next := *s
	t, _ := FindSetting(key)
	return next.Assign(key, []byte(value)) == nil && next.Validate() == nil &&
		next.Algorithm() == s.Algorithm() && !(t.ReadIn(s) && next.Equal(s))
}

// present returns the number that a setting stands at. If the setting is auto, it is the bound
// derived for it, or 1 if there is none.
func (s *Spec) present(key string, v dro.Auto) float64 {
	p, err := s.Problem()
	switch {
	case !v.IsAuto() || err != nil:
		return v.Or(1)
	case key == "lambda_max":
		return p.Box.Lambda[1]
	case key == "eta_min":
		return p.Box.Eta[0]
	case key == "lr_z":
		return s.LR
	}
	return 1
}

// nextValues returns the values to try next to v, in order. They are the next of 1, 2, 5, 10 and so
// on, and then values half, a quarter and an eighth of the way there, in case a bound lies before
// it.
func nextValues(v float64, by int) (list []float64) {
	next := next125(v, by)
	if least := 1e-3; v != 0 && math.Abs(v) <= least && (v > 0) == (by < 0) {
		list = append(list, 0) // many settings are switched off by 0
	}
	list = append(list, next)
	if v == 0 { // the first of the whole numbers
		list = append(list, float64(by))
	}
	for part := 2.0; part <= 8; part *= 2 {
		list = append(list, roundTo3(v+(next-v)/part))
	}
	return slices.DeleteFunc(list, func(x float64) bool { return x == v || (x > v) != (by > 0) })
}

// next125 returns the next of 1, 2, 5 times a power of ten above or below v, on both sides of 0.
func next125(v float64, by int) float64 {
	switch {
	case v == 0:
		return float64(by) * first125
	case v < 0:
		return -next125(-v, -by)
	}
	const near = 1e-9 // relative to v: a number written as one of them is that one
	exponent, below := int(math.Floor(math.Log10(v))), 0.0
	for e := exponent - 1; e <= exponent+1; e++ {
		for _, m := range []string{"1e", "2e", "5e"} {
			x, err := strconv.ParseFloat(m+strconv.Itoa(e), 64)
			switch {
			case err != nil:
			case by > 0 && x > v*(1+near):
				return x
			case x < v*(1-near):
				below = x
			}
		}
	}
	return below
}

// first125 is the first of these numbers above 0.
const first125 = 1e-3

// roundTo3 returns x rounded to three significant digits.
func roundTo3(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return x
	}
	return y
}
