// Package story says in one sentence what some runs have come to: which of them helps the class
// that suffers most, against which baseline, and what that costs. Facts go in and a sentence comes
// out. It draws nothing, keeps no state, and reads no file but the runs' logs.
//
//	[]Run -> gather (who counts, at which epoch) -> facts (what is measured) -> rules -> Story
//
// The clauses are a table of rules in rules.go. A rule has its place in the sentence, the
// conditions that it needs, the facts for which it holds, and its words. It never says more than
// its facts do:
//
//   - All runs are taken at the same epoch, the last one that they all have, as in every table. A
//     figure is the mean of the five evaluations up to it, since single evaluations swing.
//   - The run in the sentence changes once another has been the best for three evaluations. A
//     change that the last evaluation alone contradicts is told as two figures, not as a change.
//   - Before a fifth of the run, and while a class stands at 0, it is too early to say anything.
//   - With fewer than four seeds the sentence says how many seeds it covers, and tests nothing.
//   - From four seeds on a difference has its 95 % t interval over paired seeds, with Bonferroni's
//     correction, since the method in the sentence was chosen among several.
//   - From four seeds on a cost is an upper bound, rounded up. That something costs nothing is
//     never said.
//   - A run that failed, diverged or fell behind is named, and counts nowhere else.
package story
