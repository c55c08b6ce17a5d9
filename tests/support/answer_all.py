"""Answer the queries on standard input (a JSON list) from a catalog, with whatever DuckDB is installed.

Prints its version and the rows of every answer as JSON. Needs nothing of cliffwatch: this is what a reader has.
"""

import json
import sys

import duckdb

connection = duckdb.connect(sys.argv[1], read_only=True)
answers = []
for sql in json.load(sys.stdin):
    cursor = connection.execute(sql)
    answers.append([[column[0] for column in cursor.description], [list(row) for row in cursor.fetchall()]])
print(json.dumps([duckdb.__version__, answers], default=str))
