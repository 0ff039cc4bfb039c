export interface Edit {
  /** From the root of the project. */
  readonly file: string
  /** Occurs exactly once. */
  readonly from: string
  readonly to: string
}

/** The engine with one thing wrong, which some checker must see. */
export interface Mutation {
  /** What the engine does then. */
  readonly name: string
  readonly edits: readonly Edit[]
  /** Only random fleets show it. */
  readonly inFleets?: true
  /** Only random rollouts of IngressDaemonSets show it. */
  readonly inIngress?: true
  /** Only random drains of guarded nodes show it. */
  readonly inGuards?: true
  /** Only pods that leave politely show it. */
  readonly inPolite?: true
  /** This test file shows it: seeds seldom draw its world. */
  readonly inTest?: string
}

/** Each changed file by its path, with its text as it is then. Throws where a text to be changed does not occur exactly once. */
export function mutated({ name, edits }: Mutation, textOf: (file: string) => string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const text = texts.get(file) ?? textOf(file)
    const found = text.split(from).length - 1
    if (found !== 1) throw new Error(`"${name}": ${file} has its text ${found} times`)
    texts.set(
      file,
      text.replace(from, () => to),
    )
  }
  return texts
}
