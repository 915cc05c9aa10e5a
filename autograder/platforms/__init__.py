"""What learning platforms make of hand-ins: whose each entry of a download is, and when it came."""
