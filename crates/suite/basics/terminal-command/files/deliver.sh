# Notes an order: writes each argument on a line of its own.
printf '%s\n' "$@" > delivered.new
mv delivered.new delivered.txt
echo "Thank you, the order was noted."
