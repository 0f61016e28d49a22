echo started >> started
cat
