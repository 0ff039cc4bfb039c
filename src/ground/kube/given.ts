/** `{ [key]: value }`, or nothing where the value is absent: optional fields are left out, never set to undefined. */
export function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V })
}
