/**
 * For Perl 5.20 and later, by what Debian has in perl-base. Its argument is the idle limit in seconds.
 * What makes no sense is an error that ends it.
 */
export const PERL_RELAY = String.raw`
use strict;
use Errno;
use IO::Handle;
use Socket qw(:DEFAULT IPPROTO_TCP MSG_DONTWAIT TCP_NODELAY inet_ntop inet_pton pack_sockaddr_in6 unpack_sockaddr_in6);

my ($OPEN_UDP, $OPEN_TCP, $CONNECT, $SEND, $SEND_TO, $CLOSE, $PING) = 1 .. 7;
my ($DONE, $MESSAGE, $DATA, $ERROR, $CLOSED, $PONG) = 32 .. 37;
my ($PAYLOAD, $SOCKETS) = (65407, 1024);
my %held;

sub tell_check {
  my ($number, $what, $rest) = @_;
  my $data = pack('nNC', 5 + length $rest, $number, $what) . $rest;
  while (length $data) {
    my $written = syswrite STDOUT, $data or exit 1;
    substr $data, 0, $written, '';
  }
}

sub code {
  my ($name) = grep { $!{$_} } sort keys %!;
  return $name || substr "$!", 0, 200;
}

sub address {
  my ($port, $length, $rest) = unpack 'nCa*', $_[0];
  my $text = substr $rest, 0, $length, '';
  my $family = $text =~ /:/ ? AF_INET6 : AF_INET;
  my $host = inet_pton($family, $text);
  exit 1 if !defined $host;
  return ($family, $family == AF_INET ? pack_sockaddr_in($port, $host) : pack_sockaddr_in6($port, $host), $rest);
}

sub open_one {
  my ($number, $what, $rest) = @_;
  my ($family, $at) = address($rest);
  exit 1 if $held{$number};
  my %one = (tcp => $what == $OPEN_TCP, out => '');
  $one{up} = !$one{tcp};
  if (keys %held >= $SOCKETS) { $! = Errno::EMFILE }
  elsif (socket $one{socket}, $family, $one{tcp} ? SOCK_STREAM : SOCK_DGRAM, 0) {
    return $held{$number} = \%one if !$one{tcp};
    $one{socket}->blocking(0);
    setsockopt $one{socket}, IPPROTO_TCP, TCP_NODELAY, 1;
    return $held{$number} = \%one if connect($one{socket}, $at) || $!{EINPROGRESS};
  }
  tell_check($number, $ERROR, code());
}

sub take {
  my ($number, $what, $rest) = @_;
  my $one = $held{$number};
  return open_one(@_) if $what == $OPEN_UDP || $what == $OPEN_TCP;
  return tell_check($number, $PONG, '') if $what == $PING;
  return delete $held{$number} if $what == $CLOSE || !$one;
  exit 1 if $what != $SEND && ($one->{tcp} || $what != $CONNECT && $what != $SEND_TO);
  return $one->{out} .= $rest if $one->{tcp};
  my $socket = $one->{socket};
  my ($family, $at, $message) = $what == $SEND ? () : address($rest);
  my $done = $what == $SEND ? send $socket, $rest, 0
    : $what == $CONNECT ? connect $socket, $at
    : send $socket, $message, 0, $at;
  tell_check($number, $DONE, defined $done && $done ne '' ? '' : code());
}

sub udp_ready {
  my ($number, $one) = @_;
  my $from = recv $one->{socket}, my $data, 65535, MSG_DONTWAIT;
  return $!{EAGAIN} || tell_check($number, $ERROR, code()) if !defined $from;
  my $family = sockaddr_family($from);
  my ($port, $host) = $family == AF_INET ? unpack_sockaddr_in($from) : unpack_sockaddr_in6($from);
  tell_check($number, $MESSAGE, pack('nC/a*', $port, inet_ntop($family, $host)) . substr $data, 0, $PAYLOAD);
}

sub tcp_ready {
  my ($number, $one, $writable) = @_;
  my $socket = $one->{socket};
  if (!$one->{up}) {
    $! = unpack 'i', getsockopt $socket, SOL_SOCKET, SO_ERROR;
    return tcp_over($number, code()) if $!;
    $one->{up} = 1;
    tell_check($number, $DONE, '');
  } elsif ($writable && length $one->{out}) {
    my $written = syswrite $socket, $one->{out};
    return tcp_over($number, code()) if !defined $written && !$!{EAGAIN};
    substr $one->{out}, 0, $written || 0, '';
  }
  my $read = sysread $socket, my $data, $PAYLOAD;
  return tell_check($number, $DATA, $data) if $read;
  tcp_over($number, defined $read ? '' : code()) if defined $read || !$!{EAGAIN};
}

sub tcp_over {
  my ($number, $code) = @_;
  tell_check($number, $ERROR, $code) if $code;
  tell_check($number, $CLOSED, '');
  delete $held{$number};
}

my $received = '';
sub frames {
  sysread STDIN, $received, 65536, length $received or exit 0;
  alarm $ARGV[0];
  while (length $received > 1) {
    my $length = unpack 'n', $received;
    exit 0 if $length < 5;
    last if length $received < 2 + $length;
    take(unpack 'NCa*', substr substr($received, 0, 2 + $length, ''), 2);
  }
}

$SIG{PIPE} = 'IGNORE';
binmode $_ for *STDIN, *STDOUT;
# A system call that hangs does not keep it from ending.
alarm $ARGV[0];
while (1) {
  my ($in, $out) = ("\1", "\0");
  for my $one (values %held) {
    my $fd = fileno $one->{socket};
    vec($in, $fd, 1) = 1 if $one->{up};
    vec($out, $fd, 1) = 1 if !$one->{up} || length $one->{out};
  }
  next if select($in, $out, undef, undef) < 0;
  for my $number (keys %held) {
    my $one = $held{$number};
    my $fd = fileno $one->{socket};
    my $writable = vec $out, $fd, 1;
    next if !$writable && !vec $in, $fd, 1;
    if ($one->{tcp}) { tcp_ready($number, $one, $writable) } else { udp_ready($number, $one) }
  }
  frames() if vec $in, 0, 1;
}
`
