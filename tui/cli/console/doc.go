// Package console is what the commands share: the world as they see it (Env), where they
// print, how a run is found by the words that mean it, numbers and tables as text, JSON,
// errors, and what arguments may be.
//
//	words -> Find, FindStep, FindSeveral -> record.Run
//	text  -> Stdout, Stderr              -> the terminal, cleaned
//
// What is printed goes through Stdout and Stderr, which clean it: names and settings come
// from files that anybody may have written. It has no command and asks nothing of a run.
//
// Start at console.go.
package console
