interface HeadedLines {
  readonly header: string
  /** The text behind the header's line end; undefined where the header is all there is. */
  readonly lines: string | undefined
}

/** Splits a table into its first line and the rest. */
export function behindHeader(table: string): HeadedLines {
  const end = table.indexOf('\n')
  if (end === -1) return { header: table, lines: undefined }
  return { header: table.slice(0, end), lines: table.slice(end + 1) }
}
