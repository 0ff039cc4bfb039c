interface HeadedLines {
  readonly header: string
  /** What follows it and its line end; undefined where the text ends with it. */
  readonly lines: string | undefined
}

/** A table's first line, and the rest of it in one piece. */
export function behindHeader(table: string): HeadedLines {
  const end = table.indexOf('\n')
  if (end === -1) return { header: table, lines: undefined }
  return { header: table.slice(0, end), lines: table.slice(end + 1) }
}
