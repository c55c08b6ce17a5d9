"""Measure, prove and diagnose; knows nothing of Prefect, DuckDB or Parquet."""
