package compare

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reading tells how a clause is understood: its pattern, and the condition that must hold.
type reading struct {
	pattern *regexp.Regexp
	rare    bool // does not occur among the made-up results
	holds   func(s *seen, m []string) bool
}

func readings() []reading {
	near := func(text string, v float64) bool {
		x, err := strconv.ParseFloat(text, 64)
		return err == nil && math.Abs(x-v) <= .5001 &&
			(!strings.Contains(text, ".") || math.Abs(x-v) <= .0501)
	}
	named := func(s *seen, name, part string) bool { // the worst class in every seed
		for i, r := range s.runs {
			if s.names[i] == name && slices.Contains(s.seeds, r.Meta.Spec.Seed) &&
				slices.ContainsFunc(s.latest(i), func(f figure) bool { return f.part != part }) {
				return false
			}
		}
		return true
	}
	from := func(s *seen, lead, base, a, b string) bool {
		return base == s.base && near(a, s.mean(base, worstOf)) && near(b, s.mean(lead, worstOf))
	}
	gain := func(s *seen, lead string) float64 {
		return s.mean(lead, worstOf) - s.mean(s.base, worstOf)
	}
	sure := func(s *seen, lead string) bool { // of four seeds the interval is above 0
		d, half := s.interval(lead, s.base, worstOf)
		return len(s.seeds) < 4 || d-half > 0
	}
	all := func(s *seen) string {
		if n := len(s.counted) - 1; n > 2 {
			return fmt.Sprintf("all %d", n)
		}
		return "both"
	}
	one := regexp.MustCompile
	return []reading{
		{one(`^too early to say before a fifth of the run$`), false,
			func(s *seen, _ []string) bool { return s.early(true) }},
		{one(`^too early to say while a class of (.+) is at 0 %$`), true,
			func(*seen, []string) bool { return false }}, // see TestSubjectHolds
		{one(`^(.+) averages ([\d.]+) % in the worst class against (.+)'s ([\d.]+) %, but ` +
			`([\d.]+) against ([\d.]+) % now$`), false,
			func(s *seen, m []string) bool {
				alone := *s
				alone.window = 1
				now, then := alone.mean(m[1], worstOf), alone.mean(s.base, worstOf)
				return s.lead() == m[1] && from(s, m[1], m[3], m[4], m[2]) && near(m[5], now) &&
					near(m[6], then) && (now-then)*gain(s, m[1]) < 0
			}},
		{one(`^(.+) is ahead for now$`), false,
			func(s *seen, m []string) bool { return s.best() == m[1] && s.lead() != m[1] }},
		{one(`^(.+) lifts (disc|ring|star) from (.+)'s ([\d.]+) to ([\d.]+) %$`), false,
			func(s *seen, m []string) bool {
				return len(s.seeds) < 4 && s.lead() == m[1] && named(s, m[1], m[2]) &&
					named(s, m[3], m[2]) && from(s, m[1], m[3], m[4], m[5]) && gain(s, m[1]) >= 1
			}},
		{one(`^(.+) lifts the worst class from (.+)'s ([\d.]+) \((.+)\) to ([\d.]+) % \((.+)\)$`),
			false, func(s *seen, m []string) bool {
				return len(s.seeds) < 4 && s.lead() == m[1] && named(s, m[2], m[4]) &&
					named(s, m[1], m[6]) && from(s, m[1], m[2], m[3], m[5]) && gain(s, m[1]) >= 1
			}},
		{one(`^(.+) lifts the worst class from (.+)'s ([\d.]+) to ([\d.]+) %$`), false,
			func(s *seen, m []string) bool {
				return len(s.seeds) < 4 && s.lead() == m[1] && from(s, m[1], m[2], m[3], m[4]) &&
					gain(s, m[1]) >= 1
			}},
		{one(`^(.+) (lifts|lowers) .+ from (.+)'s ([\d.]+) to ([\d.]+) % ` +
			`\(([+-][\d.]+) ± ([\d.]+) points\)$`), false,
			func(s *seen, m []string) bool {
				d, half := s.interval(m[1], s.base, worstOf)
				return len(s.seeds) >= 4 && s.lead() == m[1] && from(s, m[1], m[3], m[4], m[5]) &&
					near(m[6], d) && math.Abs(d) > half && (d > 0) == (m[2] == "lifts")
			}},
		{one(`^(.+) and (.+) cannot be told apart: worst class ([\d.]+) against ([\d.]+) % ` +
			`\(([+-][\d.]+) ± ([\d.]+) points\)$`), false,
			func(s *seen, m []string) bool {
				d, half := s.interval(m[1], s.base, worstOf)
				return len(s.seeds) >= 4 && s.lead() == m[1] &&
					from(s, m[1], m[2], m[4], m[3]) && near(m[5], d) &&
					(math.Abs(d) <= half || math.Abs(d) < 1 || len(s.counted) > 2)
			}},
		{one(`^(.+) lowers the worst class from (.+)'s ([\d.]+) to ([\d.]+) %$`), false,
			func(s *seen, m []string) bool {
				return s.lead() == m[1] && (len(s.counted) == 2 || s.best() != m[1]) &&
					from(s, m[1], m[2], m[3], m[4]) && gain(s, m[1]) <= -1
			}},
		{one(`^(all \d+|both) others lower the worst class from (.+)'s ([\d.]+) %; (.+) comes ` +
			`closest with ([\d.]+) %$`), false,
			func(s *seen, m []string) bool {
				return m[1] == all(s) && s.best() == m[4] &&
					from(s, m[4], m[2], m[3], m[5]) && gain(s, m[4]) <= -1
			}},
		{one(`^(.+), at ([\d.]+) %, stays within a point of (.+)'s worst class of ([\d.]+) %$`),
			false,
			func(s *seen, m []string) bool {
				return s.lead() == m[1] && from(s, m[1], m[3], m[4], m[2]) &&
					math.Abs(gain(s, m[1])) < 1
			}},
		{one(`^none lifts (.+)'s worst class of ([\d.]+) % by a point; (.+) reaches ` +
			`([\d.]+) %$`), false,
			func(s *seen, m []string) bool {
				return s.best() == m[3] && from(s, m[3], m[1], m[2], m[4]) && gain(s, m[3]) < 1
			}},
		{one(`^without a baseline, the worst classes range from (.+)'s ([\d.]+) to (.+)'s ` +
			`([\d.]+) %$`), false,
			func(s *seen, m []string) bool {
				lowest := !slices.ContainsFunc(s.counted, func(o string) bool {
					return s.mean(o, worstOf) < s.mean(m[1], worstOf)
				})
				return s.base == "" && s.best() == m[3] && lowest &&
					near(m[2], s.mean(m[1], worstOf)) && near(m[4], s.mean(m[3], worstOf))
			}},
		{one(`^without a baseline, the worst classes of (both|all (\d+)) are within a point, at ` +
			`([\d.]+) %$`), false,
			func(s *seen, m []string) bool {
				far := slices.ContainsFunc(s.counted, func(o string) bool {
					return math.Abs(s.mean(o, worstOf)-s.mean(s.counted[0], worstOf)) >= 1
				})
				return s.base == "" && !far && (m[1] == "both") == (len(s.counted) == 2)
			}},
		{one(`^the worst class of (.+) is at ([\d.]+) %, its mean accuracy at ([\d.]+) %; ` +
			`there is no other run to compare with$`), false,
			func(s *seen, m []string) bool {
				return len(s.counted) == 1 && near(m[2], s.mean(m[1], worstOf)) &&
					near(m[3], s.mean(m[1], meanOf))
			}},
		{one(`^and raises mean accuracy by (at least )?([\d.]+) points$`), false,
			func(s *seen, m []string) bool {
				lead := s.lead()
				d, half := s.interval(lead, s.base, meanOf)
				if m[1] == "" {
					return len(s.seeds) < 4 && near(m[2], d)
				}
				x, _ := strconv.ParseFloat(m[2], 64)
				return len(s.seeds) >= 4 && x <= d-half+1e-6
			}},
		{one(`^and costs (at most )?([\d.]+) points of mean accuracy$`), false,
			func(s *seen, m []string) bool {
				lead := s.lead()
				d, half := s.interval(lead, s.base, meanOf)
				if m[1] == "" {
					return len(s.seeds) < 4 && near(m[2], -d)
				}
				x, _ := strconv.ParseFloat(m[2], 64)
				return len(s.seeds) >= 4 && x > 0 && x >= -(d-half)-1e-6
			}},
		{one(`^(all \d+|both) lift the worst class$`), false, func(s *seen, m []string) bool {
			return m[1] == all(s) && len(s.seeds) < 4 &&
				!slices.ContainsFunc(s.counted, func(o string) bool {
					return o != s.base && gain(s, o) < 1
				})
		}},
		{one(`^(.+?) lowers? the worst class$`), false, func(s *seen, m []string) bool {
			return s.base != "" && !slices.ContainsFunc(s.counted, func(o string) bool {
				return slices.Contains(split(m[1]), o) && gain(s, o) > -1
			}) && sure(s, s.lead())
		}},
	}
}
