"""The last words of `docker compose up`: how to submit the first identifiers."""

WORDS = """
Pubweave is up. In another terminal:

  docker compose run --rm cli submit 31092905 PMC6519000 10.1093/nar/gkz369 --wait
  docker compose run --rm cli follow --from-the-start
  docker compose run --rm -T cli export --cluster --format jsonl > records.jsonl
"""

if __name__ == "__main__":
    print(WORDS)
