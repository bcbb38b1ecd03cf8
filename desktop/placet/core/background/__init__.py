"""What happens beside the conversations: watched folders give events, TIC looks through them and rarely speaks."""
