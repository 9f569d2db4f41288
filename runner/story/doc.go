// Package story says in one sentence what some runs have come to: which of them helps the class
// that suffers most, against which baseline, and what that costs. Facts go in and a sentence comes
// out. It draws nothing, reads no file and keeps no state.
//
//	[]Run -> gather (who counts, at which epoch) -> facts (what is measured) -> rules -> Story
//
// What can be said is a table of rules in rules.go: where in the sentence, what it needs, when it
// holds, and in which words. A rule never says more than its facts do:
//
//   - All runs are taken at the same epoch, the last one that they all have.
//   - Of fewer than four seeds the sentence says which seeds it is of, and tests nothing.
//   - From four seeds on a difference is told by its 95 % t interval over paired seeds, with
//     Bonferroni's correction, since the method that is told of was chosen among several.
//   - A cost is an upper bound, rounded up; that something costs nothing is never said.
//   - A run that failed, diverged or fell behind is named, and counts nowhere else.
package story
