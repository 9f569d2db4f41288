// Package risk has the commands about worst cases: risk for given losses; eval, features and
// certify for a checkpoint; plan and theory for what the paper's theorem asks for.
//
// It has no formulas; those are in dro and runner. It reads one format, the list of losses, and
// writes the weights of risk and the pictures of eval.
//
// Start at risk.go for losses, and at certify.go for checkpoints.
package risk
