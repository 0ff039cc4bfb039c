interface Picked {
  /** In the order of the places asked for. */
  readonly cells: readonly string[]
  /** The number of columns of the whole line. */
  readonly columns: number
}

/** The cells of a line at these places, which are in ascending order: most columns of a wide table are not read. */
export function pickCells(line: string, separator: string, places: readonly number[]): Picked {
  const cells: string[] = []
  let column = 0
  for (let at = 0; ; column += 1) {
    const end = line.indexOf(separator, at)
    if (places[cells.length] === column) cells.push(end === -1 ? line.slice(at) : line.slice(at, end))
    if (end === -1) return { cells, columns: column + 1 }
    at = end + 1
  }
}
