/**
 * For Python 3.6 and later, by its standard library alone. Its argument is the idle limit in seconds.
 * What makes no sense is an error that ends it.
 */
export const PYTHON_RELAY = `
import errno, os, select, signal, socket, struct, sys

OPEN_UDP, OPEN_TCP, CONNECT, SEND, SEND_TO, CLOSE, PING = range(1, 8)
DONE, MESSAGE, DATA, ERROR, CLOSED, PONG = range(32, 38)
PAYLOAD, SOCKETS = 65407, 1024
held, by_fd, polled = {}, {}, select.poll()

def say(number, what, rest=b""):
  data = struct.pack(">HIB", 5 + len(rest), number, what) + rest
  while data: data = data[os.write(1, data):]

def code(error):
  return errno.errorcode.get(error.errno, str(error)).encode()[:200]

def address(rest):
  port, length = struct.unpack(">HB", rest[:3])
  text = rest[3:3 + length].decode("latin-1")
  family = socket.AF_INET6 if ":" in text else socket.AF_INET
  socket.inet_pton(family, text)
  return family, (text, port), rest[3 + length:]

class Udp:
  def __init__(self, number, family, at):
    self.number, self.socket = number, socket.socket(family, socket.SOCK_DGRAM)

  def wanted(self): return select.POLLIN

  def take(self, what, rest):
    if what not in (CONNECT, SEND, SEND_TO): sys.exit(1)
    to = None if what == SEND else address(rest)
    try:
      if what == SEND: self.socket.send(rest)
      elif what == CONNECT: self.socket.connect(to[1])
      else: self.socket.sendto(to[2], to[1])
      say(self.number, DONE)
    except OSError as error: say(self.number, DONE, code(error))

  def ready(self, events):
    try: data, at = self.socket.recvfrom(65535, socket.MSG_DONTWAIT)
    except BlockingIOError: return
    except OSError as error: return say(self.number, ERROR, code(error))
    say(self.number, MESSAGE, struct.pack(">HB", at[1], len(at[0])) + at[0].encode() + data[:PAYLOAD])

class Tcp:
  def __init__(self, number, family, at):
    self.number, self.socket = number, socket.socket(family, socket.SOCK_STREAM)
    self.up, self.out = False, b""
    self.socket.setblocking(False)
    self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    self.check(self.socket.connect_ex(at))

  def check(self, failed):
    if failed not in (0, errno.EINPROGRESS): raise OSError(failed, os.strerror(failed))

  def wanted(self):
    if not self.up: return select.POLLOUT
    return select.POLLIN | (select.POLLOUT if self.out else 0)

  def take(self, what, rest):
    if what != SEND: sys.exit(1)
    self.out += rest

  def ready(self, events):
    try:
      if not self.up:
        self.check(self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
        self.up = True
        say(self.number, DONE)
      elif events & select.POLLOUT: self.out = self.out[self.socket.send(self.out):]
      data = self.socket.recv(PAYLOAD)
      if data: return say(self.number, DATA, data)
    except BlockingIOError: return
    except OSError as error: say(self.number, ERROR, code(error))
    say(self.number, CLOSED)
    forget(self.number)

def open_one(number, what, rest):
  if number in held: sys.exit(1)
  family, at, _ = address(rest)
  try:
    if len(held) >= SOCKETS: raise OSError(errno.EMFILE, "")
    one = (Udp if what == OPEN_UDP else Tcp)(number, family, at)
    held[number] = by_fd[one.socket.fileno()] = one
  except OSError as error: say(number, ERROR, code(error))

def forget(number):
  one = held.pop(number, None)
  if one:
    del by_fd[one.socket.fileno()]
    polled.unregister(one.socket)
    one.socket.close()

def take(number, what, rest):
  if what in (OPEN_UDP, OPEN_TCP): open_one(number, what, rest)
  elif what == PING: say(number, PONG)
  elif what == CLOSE: forget(number)
  elif number in held: held[number].take(what, rest)
  if number in held: polled.register(held[number].socket, held[number].wanted())

# A system call that hangs does not keep it from ending.
signal.alarm(int(sys.argv[1]))
polled.register(0, select.POLLIN)
received = b""
while True:
  # Frames come last: a new socket may have the descriptor of one that an event is of.
  for fd, events in sorted(polled.poll(), reverse=True):
    if fd:
      one = by_fd[fd]
      one.ready(events)
      if one.number in held: polled.register(fd, one.wanted())
      continue
    more = os.read(0, 65536)
    if not more: sys.exit(0)
    signal.alarm(int(sys.argv[1]))
    received += more
    while len(received) > 1:
      length = 2 + struct.unpack(">H", received[:2])[0]
      if length < 7: sys.exit(0)
      if len(received) < length: break
      number, what = struct.unpack(">IB", received[2:7])
      rest, received = received[7:length], received[length:]
      take(number, what, rest)
`
