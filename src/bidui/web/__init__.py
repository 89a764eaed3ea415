"""The workbench in the browser: pages, their API, and what stands behind them."""
