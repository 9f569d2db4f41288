"""Write a file of exactly the format of adult.data (Becker, Kohavi 1996, "Adult", UCI Machine Learning
Repository): no header, 15 columns, ", " between values, "?" for missing, a blank line at the end. The marginals
are close to the original's. The people described do not exist.

    python3 adult.py adult.data --n 32561 --seed 0

The columns are age, workclass, fnlwgt, education, education-num, marital-status, occupation, relationship, race,
sex, capital-gain, capital-loss, hours-per-week, native-country, income. Needs numpy."""

import argparse

import numpy as np

WORK = {"Private": 70, "Self-emp-not-inc": 8, "Local-gov": 6, "?": 5.6, "State-gov": 4, "Self-emp-inc": 3.4,
        "Federal-gov": 3, "Without-pay": 0.04, "Never-worked": 0.02}
EDUCATION = [("Preschool", 0.2), ("1st-4th", 0.5), ("5th-6th", 1), ("7th-8th", 2), ("9th", 1.6), ("10th", 2.9),
             ("11th", 3.6), ("12th", 1.3), ("HS-grad", 32.3), ("Some-college", 22.4), ("Assoc-voc", 4.2),
             ("Assoc-acdm", 3.3), ("Bachelors", 16.4), ("Masters", 5.3), ("Prof-school", 1.8), ("Doctorate", 1.3)]
MARITAL = {"Married-civ-spouse": 46, "Never-married": 32.8, "Divorced": 13.6, "Separated": 3.1, "Widowed": 3.1,
           "Married-spouse-absent": 1.3, "Married-AF-spouse": 0.07}
OCCUPATION = {"Prof-specialty": 12.7, "Craft-repair": 12.6, "Exec-managerial": 12.5, "Adm-clerical": 11.6,
              "Sales": 11.2, "Other-service": 10.1, "Machine-op-inspct": 6.1, "Transport-moving": 4.9,
              "Handlers-cleaners": 4.2, "Farming-fishing": 3.1, "Tech-support": 2.9, "Protective-serv": 2,
              "Priv-house-serv": 0.5, "Armed-Forces": 0.03}
RACE = {"White": 85.4, "Black": 9.6, "Asian-Pac-Islander": 3.2, "Amer-Indian-Eskimo": 1, "Other": 0.8}
COUNTRY = {"United-States": 89.6, "?": 1.8, "Mexico": 2, "Philippines": 0.6, "Germany": 0.4, "Canada": 0.4,
           "Puerto-Rico": 0.35, "El-Salvador": 0.33, "India": 0.31, "Cuba": 0.3, "England": 0.28, "Jamaica": 0.25,
           "South": 0.25, "China": 0.23, "Italy": 0.22, "Dominican-Republic": 0.22, "Vietnam": 0.2, "Japan": 0.19,
           "Guatemala": 0.2, "Poland": 0.18, "Columbia": 0.18, "Haiti": 0.14, "Iran": 0.13, "Taiwan": 0.16}


def choose(rng, weights, n):
    p = np.array(list(weights.values()), dtype=float)
    return rng.choice(np.array(list(weights), dtype=object), n, p=p / p.sum())


def draw(n, seed):
    """The 15 columns, in order, as lists of text."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(8.6, 4.5, n), 17, 90).astype(int)
    grade = rng.choice(16, n, p=np.array([w for _, w in EDUCATION]) / sum(w for _, w in EDUCATION))
    marital, race = choose(rng, MARITAL, n), choose(rng, RACE, n)
    married = marital == "Married-civ-spouse"
    female = rng.random(n) < np.where(married, 0.11, 0.52)
    relation = np.where(married, np.where(female, "Wife", "Husband"),
                        rng.choice(["Not-in-family", "Own-child", "Unmarried", "Other-relative"], n,
                                   p=[0.48, 0.28, 0.19, 0.05]))
    work, occupation = choose(rng, WORK, n), choose(rng, OCCUPATION, n)
    occupation[(work == "?") | (work == "Never-worked")] = "?"
    hours = np.clip(np.where(rng.random(n) < 0.46, 40, rng.normal(40 - 4 * female, 14, n)), 1, 99).astype(int)
    gain = np.where(rng.random(n) < 0.083, rng.choice([2174, 3103, 5178, 7298, 7688, 15024, 99999], n), 0)
    loss = np.where((gain == 0) & (rng.random(n) < 0.047), rng.choice([1485, 1602, 1887, 1902, 1977], n), 0)
    white = np.isin(race, ["White", "Asian-Pac-Islander"])
    score = (-7.5 + 2.2 * married + 0.36 * (grade - 8) + 0.03 * (hours - 40) + 0.9 * np.sqrt(np.maximum(age - 17, 0))
             - 0.013 * (age - 17) ** 1.3 + 1.6 * (gain > 5000) + 0.8 * (loss > 1800) + 0.5 * ~female + 0.45 * white
             + 0.7 * np.isin(occupation, ["Exec-managerial", "Prof-specialty"]))
    income = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), ">50K", "<=50K")
    weight = np.clip(rng.lognormal(12.03, 0.55, n), 12285, 1484705).astype(int)
    return [age, work, weight, [EDUCATION[k][0] for k in grade], grade + 1, marital, occupation, relation, race,
            np.where(female, "Female", "Male"), gain, loss, hours, choose(rng, COUNTRY, n), income]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--n", type=int, default=32_561)
    p.add_argument("--seed", type=int, default=0)
    a = p.parse_args()
    with open(a.out, "w", newline="") as f:
        for row in zip(*draw(a.n, a.seed)):
            f.write(", ".join(map(str, row)) + "\n")
        f.write("\n")


if __name__ == "__main__":
    main()
