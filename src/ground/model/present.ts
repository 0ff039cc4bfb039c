/** The keys of `Fields` whose value may be undefined become optional. */
type Present<Fields> = {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key]
} & {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>
}

/** The fields that have a value, in their order: `{ name, ...present({ zone, port }) }` has no key whose value is undefined. */
export function present<const Fields extends object>(fields: Fields): Present<Fields> {
  const kept: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) kept[key] = value
  return kept as Present<Fields>
}
