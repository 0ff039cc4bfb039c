import { readFileSync, writeFileSync } from 'node:fs'

/** In the sandbox, for the processes that come later. */
const FILE = 'import-graph.json'

/** Which module imports which, by URL, as it is seen while modules are resolved. */
export class ImportGraph {
  readonly #imports = new Map<string, Set<string>>()

  add(importer: string, imported: string): void {
    const known = this.#imports.get(importer)
    if (known === undefined) this.#imports.set(importer, new Set([imported]))
    else known.add(imported)
  }

  /** All that loading it loads. */
  reached(from: string): ReadonlySet<string> {
    const seen = new Set([from])
    for (const url of seen) for (const next of this.#imports.get(url) ?? []) seen.add(next)
    return seen
  }

  write(): void {
    writeFileSync(FILE, JSON.stringify([...this.#imports].map(([url, next]) => [url, [...next]])))
  }

  static read(): ImportGraph {
    const graph = new ImportGraph()
    const edges: readonly [string, readonly string[]][] = JSON.parse(readFileSync(FILE, 'utf8'))
    for (const [importer, all] of edges) for (const imported of all) graph.add(importer, imported)
    return graph
  }
}
