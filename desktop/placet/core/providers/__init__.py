"""Wire dialects over httpx: streams become domain pieces, faults become words. Imports domain only; httpx lazily."""
