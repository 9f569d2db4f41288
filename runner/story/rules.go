package story

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// need is a set of conditions without which a rule is not asked.
type need int

const (
	baseline need = 1 << iota // a run that the others are compared with
	rivals                    // two runs to compare, or more
	worst                     // a worst class or group
	noWorst                   // no worst class or group, but a robust risk
	few                       // fewer seeds than a claim needs
	enough                    // as many as it needs
	alone                     // one configuration
	open                      // no baseline
	early                     // too early to compare
)

// has returns the conditions that the facts meet.
func (f *facts) has() (n need) {
	either := func(is bool, yes, no need) {
		if n |= no; is {
			n = n&^no | yes
		}
	}
	either(f.base != nil, baseline, open)
	either(len(f.arms) > 1, rivals, alone)
	either(f.worst, worst, 0)
	either(!f.worst && f.risk, noWorst, 0)
	either(len(f.seeds) < claim, few, enough)
	either(f.early != "", early, 0)
	return n
}

// rule is a clause that can be said. Of the rules of one slot the first that holds is said.
type rule struct {
	slot  string
	needs need
	when  func(*facts) bool // nil: always
	words string            // with {name}, as words has them
}

// rules returns all clauses that can be said, slot by slot in the order of the sentence.
func rules() []rule {
	turned := func(f *facts) bool { return f.turned }
	gains := func(f *facts) bool { return !f.turned && f.gain.value >= point && f.gain.low() > 0 }
	loses := func(f *facts) bool { return !f.turned && f.gain.value <= -point && f.gain.high() < 0 }
	behind := func(f *facts) bool { return f.lead != f.best }
	same := func(f *facts) bool { return f.part(f.lead) != "" && f.part(f.lead) == f.part(f.base) }
	named := func(f *facts) bool { return f.part(f.lead) != "" && f.part(f.base) != "" }
	one := func(f *facts) bool { return f.others == 1 || behind(f) }
	near := func(f *facts) bool {
		return f.over(f.lead, worstAccuracy)-f.over(f.last, worstAccuracy) < point
	}
	lift := func(f *facts) bool { return gains(f) && f.others > 1 && f.lifted == f.others }
	all := func(list ...func(*facts) bool) func(*facts) bool {
		return func(f *facts) bool {
			return !slices.ContainsFunc(list, func(when func(*facts) bool) bool { return !when(f) })
		}
	}
	const told, claimed = baseline | rivals | worst | few, baseline | rivals | worst | enough
	return []rule{
		{"lead", rivals | early, nil, "too early to say {early}"},
		{"lead", baseline | rivals | worst, turned,
			"{lead} averages {to} % in the worst {kind} against {base}'s {from} %, but {now} " +
				"against {then} % now"},
		{"lead", told, all(gains, same),
			"{lead} lifts {part} from {base}'s {from} to {to} %"},
		{"lead", told, all(gains, named),
			"{lead} lifts the worst {kind} from {base}'s {from} ({basePart}) to {to} % ({part})"},
		{"lead", told, gains, "{lead} lifts the worst {kind} from {base}'s {from} to {to} %"},
		{"lead", told, all(loses, one),
			"{lead} lowers the worst {kind} from {base}'s {from} to {to} %"},
		{"lead", told, loses,
			"{all} others lower the worst {kind} from {base}'s {from} %; {lead} comes " +
				"closest with {to} %"},
		{"lead", told, one,
			"{lead}, at {to} %, stays within a point of {base}'s worst {kind} of {from} %"},
		{"lead", told, nil,
			"none lifts {base}'s worst {kind} of {from} % by a point; {lead} reaches {to} %"},
		{"lead", claimed, all(gains, same),
			"{lead} lifts {part} from {base}'s {from} to {to} % ({gain} ± {half} points)"},
		{"lead", claimed, gains,
			"{lead} lifts the worst {kind} from {base}'s {from} to {to} % " +
				"({gain} ± {half} points)"},
		{"lead", claimed, all(loses, one),
			"{lead} lowers the worst {kind} from {base}'s {from} to {to} % " +
				"({gain} ± {half} points)"},
		{"lead", claimed, nil,
			"{lead} and {base} cannot be told apart: worst {kind} {to} against {from} % " +
				"({gain} ± {half} points)"},
		{"lead", open | rivals | worst, near,
			"without a baseline, the worst {kinds} of {all} are within a point, at {to} %"},
		{"lead", open | rivals | worst, nil,
			"without a baseline, the worst {kinds} range from {base}'s {from} to {lead}'s {to} %"},
		{"lead", baseline | rivals | noWorst, func(f *facts) bool { return f.drop.low() > 0 },
			"{lead} lowers the robust risk of {base} from {riskFrom} to {riskTo}"},
		{"lead", baseline | rivals | noWorst, behind,
			"{lead} is at a robust risk of {riskTo}, {base} at {riskFrom}"},
		{"lead", baseline | rivals | noWorst, nil,
			"none lowers {base}'s robust risk of {riskFrom}; {lead} reaches {riskTo}"},
		{"lead", open | rivals | noWorst, nil,
			"without a baseline, robust risks range from {lead}'s {riskTo} to {base}'s {riskFrom}"},
		{"lead", alone | worst, nil,
			"the worst {kind} of {lead} is at {to} %, its mean accuracy at {mean} %; there is " +
				"no other run to compare with"},
		{"lead", alone | noWorst, nil,
			"the robust risk of {lead} is {riskTo}; there is no other run to compare with"},

		{"cost", told, func(f *facts) bool { return f.mean.value >= .1 && !f.turned },
			"and raises mean accuracy by {mean+} points"},
		{"cost", told, func(f *facts) bool { return f.mean.value <= -.1 && !f.turned },
			"and costs {mean-} points of mean accuracy"},
		{"cost", claimed, all(gains, func(f *facts) bool { return f.mean.low() >= .1 }),
			"and raises mean accuracy by at least {raise} points"},
		{"cost", claimed, gains, "and costs at most {cost} points of mean accuracy"},

		{"others", rivals, behind, "{best} is ahead for now"},
		{"others", told, lift, "{all} lift the worst {kind}"},
		{"others", baseline | rivals | worst,
			func(f *facts) bool { return gains(f) && len(f.sunk) > 0 },
			"{sunk} lower{sunks} the worst {kind}"},
		{"overfit", 0, func(f *facts) bool { return len(f.overfit) > 0 },
			"{overfit} {have} begun to overfit"},
	}
}

// story makes the story from the rules that hold.
func (f *facts) story(out []string) Story {
	s, has, said := Story{Epoch: f.epoch(), Scope: f.scope(), Out: out}, f.has(), map[string]bool{}
	words := strings.NewReplacer(f.words()...)
	for _, r := range rules() {
		if said[r.slot] || r.needs&^has != 0 || r.when != nil && !r.when(f) {
			continue
		}
		said[r.slot] = true
		if s.Said = append(s.Said, words.Replace(r.words)); r.needs&early != 0 {
			break
		}
	}
	if !said["lead"] {
		s.Said = slices.Insert(s.Said, 0, "the runs have no worst class to compare")
	}
	return s
}

// scope names the epochs whose mean is told, and the seeds. It says so if there is a single seed,
// and counts the seeds if some are missing.
func (f *facts) scope() string {
	text := fmt.Sprintf("Epoch %.4g, ", f.epoch())
	if list := f.latest(f.arms[0], f.seeds[0]); len(list) > 1 && f.early == "" {
		text = fmt.Sprintf("Epochs %.4g–%.4g, ", list[0].Epoch, f.epoch())
	}
	switch n := len(f.seeds); {
	case n < f.asked:
		return text + fmt.Sprintf("in %d of %d seeds", n, f.asked)
	case n == 1:
		return text + "in this seed"
	case n < claim:
		return text + fmt.Sprintf("averaged over %d seeds", n)
	default:
		return text + fmt.Sprintf("over %d seeds", n)
	}
}

// words returns the placeholders of the rules, each followed by its text. Without a baseline, the
// last arm takes its place. A text may be NaN if no rule that is said uses it.
func (f *facts) words() []string {
	plural := func(names []string, one, many string) string {
		if len(names) == 1 {
			return one
		}
		return many
	}
	base := cmp.Or(f.base, f.last, f.lead)
	from, to := figures(f.over(base, worstAccuracy), f.over(f.lead, worstAccuracy))
	then, now := figures(f.now(base), f.now(f.lead))
	all := fmt.Sprintf("all %d", f.others)
	if f.others == 2 {
		all = "both"
	}
	kind := f.kind()
	var sunk []string
	for _, a := range f.sunk {
		sunk = append(sunk, a.name)
	}
	return []string{"{lead}", f.lead.name, "{base}", base.name,
		"{all}", all, "{kind}", kind,
		"{kinds}", kind + map[bool]string{true: "es", false: "s"}[kind == "class"],
		"{part}", f.part(f.lead), "{basePart}", f.part(base), "{from}", from, "{to}", to,
		"{gain}", fmt.Sprintf("%+.1f", f.gain.value),
		"{half}", tenth(math.Ceil(10*f.gain.half) / 10),
		"{cost}", atMost(-f.mean.low()), "{raise}", atLeast(f.mean.low()),
		"{mean+}", tenth(f.mean.value), "{mean-}", tenth(-f.mean.value), "{early}", f.early,
		"{best}", f.best.name, "{now}", now, "{then}", then,
		"{mean}", tenth(f.over(f.lead, meanAccuracy)),
		"{riskFrom}", fmt.Sprintf("%.3f", f.over(base, robustRisk)),
		"{riskTo}", fmt.Sprintf("%.3f", f.over(f.lead, robustRisk)),
		"{sunk}", list(sunk), "{sunks}", plural(sunk, "s", ""),
		"{overfit}", list(f.overfit), "{have}", plural(f.overfit, "has", "have")}
}
