// Package risk has the commands of worst cases: risk of given losses, eval, features and certify of
// a checkpoint, and plan and theory of what the paper's theorem asks for.
//
// It has no formula: dro and runner have them. It reads one format, the list of losses,
// and writes the weights of risk and the pictures of eval.
//
// Start at risk.go for losses, and at certify.go for checkpoints.
package risk
