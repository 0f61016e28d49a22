#!/bin/sh
[ "$(cat started)" = started ]
