export interface Log {
  debug(text: string, fields?: Readonly<Record<string, unknown>>): void
  warn(text: string, fields?: Readonly<Record<string, unknown>>): void
}
