package presets

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/spec"
)

// newcomer is what other programs call a setting: PyTorch, scikit-learn, Hydra, Keras, Lightning,
// and papers on robust training. Where the program has none such, or several, note says what to do.
type newcomer struct {
	words string // as plain gives them
	key   string // ours
	note  string // in place of it
}

// newcomers is the only table of such words.
var newcomers = []newcomer{
	{words: "learningrate learningrateinit eta0 baselr initiallr maxlr stepsize", key: "lr"},
	{words: "alpha",
		note: "it is lr (the step size), weight_decay (scikit-learn's alpha) or mu (the level of " +
			"CVaR) here"},
	{words: "l2 l2penalty l2reg wd decay reg regularization regularisation",
		key: "weight_decay"},
	{words: "penalty",
		note: "weight_decay is the L2 penalty of the weights, and there is no other"},
	{words: "batchsize bs minibatch minibatchsize trainbatchsize perdevicetrainbatchsize",
		key: "batch"},
	{words: "numepochs nepochs nepoch maxepochs numtrainepochs niter maxiter nestimators",
		key: "epochs"},
	{words: "steps maxsteps numsteps nsteps iterations numiterations totalsteps",
		note: "a run's length is in epochs, of samples / batch steps each"},
	{words: "randomstate randomseed manualseed torchseed rng", key: "seed"},
	{words: "nseeds numseeds repeats nrepeats trials ntrials nruns", key: "seeds"},
	{words: "valsplit validationsplit validationfraction valsize validsize valratio valfrac " +
		"holdout", key: "val_fraction"},
	{words: "testsize testsplit testfraction",
		note: "it is a part of the dataset's name: dataset: csv:FILE?test_fraction=.2"},
	{words: "target targetcolumn label labelcolumn y",
		note: "it is a part of the dataset's name: dataset: csv:FILE?label=COLUMN"},
	{words: "group groups groupcolumn sensitivefeatures protected",
		note: "it is a part of the dataset's name: dataset: csv:FILE?group=COLUMN,COLUMN"},
	{words: "data datapath dataname datasetname datafile trainfile traindata csv task",
		key: "dataset"},
	{words: "datadir dataroot root", note: "the folder of the datasets is the flag --data"},
	{words: "arch architecture net network backbone modelname modeltype estimator",
		key: "model"},
	{words: "hidden hiddensizes hiddenlayersizes hiddendim numlayers layers dropout activation " +
		"width depth",
		note: "models have their layers: model is alexnet, convnet, linear, mlp or resnet8"},
	{words: "optimizer optimiser optim solver nesterov betas beta1 beta2 adam adamw",
		note: "there is one, SGD with momentum: lr, momentum, weight_decay, clip and " +
			"lr_drop_epoch are its settings"},
	{words: "scheduler lrscheduler schedule lrschedule milestones decayepochs lrstep lrdecayepochs",
		key: "lr_drop_epoch"},
	{words: "gamma lrgamma lrdecay lrfactor factor",
		note: "it is lr_drop (the factor on lr) or focal_gamma (of the focal loss) here"},
	{words: "warmup warmupsteps warmupepochs patience earlystopping",
		note: "there is none: lr falls after lr_drop_epoch, and select keeps the best step by " +
			"validation"},
	{words: "gradclip clipgrad maxnorm maxgradnorm gradientclipval clipnorm gradientclipping",
		key: "clip"},
	{words: "augmentation dataaugmentation augmentations transform transforms", key: "augment"},
	{words: "initialization initialisation weightinit initializer kernelinitializer",
		key: "init"},
	{words: "dtype amp fp16 bf16 mixedprecision", key: "precision"},
	{words: "criterion lossfn lossfunction objective", key: "loss"},
	{words: "algorithm algo method methods trainer", key: "algorithms"},
	{words: "divergence fdivergence ambiguityset uncertaintyset", key: "uncertainty"},
	{words: "radius epsilon eps robustness", key: "rho"},
	{words: "cvaralpha cvarlevel level", key: "mu"},
	{words: "lam lamda", key: "lambda"},
	{words: "groupdrostepsize robuststepsize etaq", key: "group_step"},
	{words: "classweight classweights sampleweight posweight",
		note: "methods weigh classes and groups: algorithms: [reweight], or balanced"},
	{words: "numsamples nsamples maxsamples subset limittrainbatches", key: "samples"},
	{words: "imbalanceratio imbfactor imbalanceratios", key: "imbalance"},
	{words: "noise noiserate corruption", key: "label_noise"},
	{words: "loginterval logfreq loggingsteps logeverynsteps printevery verbose",
		key: "log_every"},
	{words: "evalinterval evalfreq evalsteps checkvaleverynepoch valcheckinterval",
		key: "eval_every"},
	{words: "saveevery savesteps savefreq saveinterval checkpointinterval",
		key: "checkpoint_every"},
	{words: "savetopk savetotallimit keepcheckpoints", key: "checkpoint_keep"},
	{words: "monitor metric metricforbestmodel scoring", key: "select"},
	{words: "device devices gpu gpus cuda accelerator",
		note: "runs train on the processor, with as many cores as the flag --threads says"},
	{words: "numworkers njobs workers threads nthreads", note: "it is the flag --threads"},
	{words: "shuffle", note: "each epoch is shuffled, by seed"},
	{words: "outputdir outdir savedir logdir rundir runs",
		note: "the folder of the runs is the flag --runs"},
	{words: "name runname experiment experimentname project",
		note: "runs are called by their preset's file and method"},
	{words: "description notes comment", key: docKey},
	{words: "defaults", note: "a preset has no parts of other files: its lines are settings"},
}

// plain is a word without what programs write differently: Hydra's signs, case, hyphens
// and underscores.
func plain(word string) string {
	return strings.NewReplacer("_", "", "-", "", "+", "", " ", "").Replace(strings.ToLower(word))
}

// called says what a word of other programs is here; "" where it is not known.
func called(word string) string {
	if word == "C" {
		return "did you mean weight_decay? (scikit-learn's C is 1 over it; SFK's constant is c)"
	}
	key, note := translate(word)
	if key == "" {
		return note
	}
	if t, ok := spec.FindSetting(key); ok {
		return fmt.Sprintf("did you mean %s? (%s)", key, t.Doc)
	}
	return fmt.Sprintf("did you mean %s?", key)
}

// Key is the setting that a word of this program or of another one means; "" is none.
func Key(word string) string {
	key, _ := translate(word)
	return key
}

// translate gives the setting that a word means or, in its place, a note. Of Hydra's groups, as in
// optimizer.lr, the last word counts, and of model.name the first.
func translate(word string) (key, note string) {
	parts := strings.Split(word, ".")
	for _, end := range []string{"name", "type", "_target_", "kind"} {
		if last := len(parts) - 1; last > 0 && parts[last] == end {
			parts = parts[:last]
		}
	}
	is := plain(parts[len(parts)-1])
	for _, key := range Keys() {
		if plain(key) == is {
			return key, ""
		}
	}
	for _, n := range newcomers {
		if slices.Contains(strings.Fields(n.words), is) {
			return n.key, n.note
		}
	}
	return "", ""
}

// suggest says what was meant by a key that is no setting: what other programs call so, the begin of
// a key, a key or such a word of nearly the same letters, or where the keys are listed.
func suggest(key string) string {
	const list = "`drolab presets NAME` lists a preset's"
	if is := called(key); is != "" {
		return is
	}
	words := Keys()
	begins := func(w string) bool { return len(key) > 2 && strings.HasPrefix(w, key) }
	if i := slices.IndexFunc(words, begins); i >= 0 {
		return fmt.Sprintf("did you mean %s? (%s)", words[i], list)
	}
	for _, n := range newcomers {
		words = append(words, strings.Fields(n.words)...)
	}
	near := nearestFirst(key, words)[0]
	if distance(key, near) > 2*max(2, len(key)/3) {
		return list
	}
	if is := called(near); !slices.Contains(Keys(), near) {
		return is
	}
	return fmt.Sprintf("did you mean %s? (%s)", near, list)
}
