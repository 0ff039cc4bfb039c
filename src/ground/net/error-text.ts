const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Node's code of an error; of the first one where several addresses were tried; empty where there is none. */
export function errorCode(error: unknown): string {
  const own = codeOf(error)
  return own === '' && error instanceof AggregateError ? codeOf(error.errors[0]) : own
}

/** One line, verbatim where there is a text: an error for several addresses has none. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(errorText).join('; ')
  const text = error instanceof Error ? error.message : String(error)
  const code = errorCode(error)
  return code === '' || text.includes(code) ? text : `${text} (${code})`
}
